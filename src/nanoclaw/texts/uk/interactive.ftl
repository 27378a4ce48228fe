# Інтерактивні сесії: картки та підсумки.

option-approved = ✅ Схвалити
option-rejected = ❌ Відхилити
session-open = 🖥 Щоб розібратися разом з агентом: `nanoclaw session open { $id }` у терміналі або на сторінці: { $address }
session-outcome-approval = Завершиться, коли ви схвалите або відхилите. Написане у відповідь лише занотується.
session-outcome-selection = Завершиться, коли ви оберете один із варіантів. Написане у відповідь лише занотується.
session-outcome-freeform = Завершиться вашим текстом: напишіть його у відповідь на це повідомлення, а тоді підтвердьте.
session-outcome-structured = Завершиться відповіддю за заданою формою: заповніть її на сторінці чи в терміналі або надішліть у відповідь як JSON.
session-filled = 📝 Занотовано, { $name }; цим іще нічого не вирішено:
session-filled-unfit = ⚠️ Поки що це не може бути підсумком: { $why }
session-filled-unclear = не зрозуміло, яке рішення.
session-words-kept = Занотовано. Це нічого не вирішує, доки хтось не підсумує.
session-concluded = Підсумовано.
button-conclude = ✅ Підсумувати цим
question-failed-why = ✖️ *Ні до чого не привело: { $time }.* { $why }
error-session-not-filled = Підсумовувати ще нічим. Спершу напишіть підсумок або заповніть його на сторінці.
error-outcome-unfit = Це не те, про що просили: { $why } Спробуйте ще раз.
error-outcome-failed = І це не те, про що просили: { $why } Сесія не вдалася, і той, хто її просив, про це дізнається.
why-session-ended = { $status ->
        [completed] { $name }: сесію підсумовано через { $after }: { $chosen }
        [timeout] Сесію вчасно ніхто не підсумував
        [failed] Сесія не вдалася через { $after }
       *[cancelled] Сесію скасовано
    }
