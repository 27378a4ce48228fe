# Інтерактивні сесії: картки та підсумки.

option-approved = ✅ Схвалити
option-rejected = ❌ Відхилити
session-open = 🖥 Щоб розібратися разом з агентом: `nanoclaw session open { $id }` у терміналі або на сторінці: <{ $address }>
session-outcome-approval = Завершиться, коли ви схвалите або відхилите. Написане у відповідь лише занотується.
session-outcome-selection = Завершиться, коли ви оберете один із варіантів. Написане у відповідь лише занотується.
session-outcome-freeform = Завершиться вашим текстом: напишіть його у відповідь на це повідомлення, а тоді підтвердьте.
session-outcome-structured = Завершиться відповіддю за заданою формою: заповніть її на сторінці чи в терміналі або надішліть у відповідь як JSON.
session-filled = 📝 { $name } пише (це ще нічого не вирішує):
session-filled-cut = ⚠️ На цій картці немає ще { $hidden } символів підсумку. Підсумуйте на сторінці або в терміналі: там він увесь.
session-filled-unfit = ⚠️ Поки що це не може бути підсумком: { $why }
session-filled-unclear = незрозуміло, що саме вирішено.
session-words-kept = Занотовано. Це нічого не вирішує, доки хтось не підіб’є підсумок.
session-concluded = Підсумовано.
button-conclude = ✅ Завершити з цим підсумком
question-failed-why = ✖️ *Ні до чого не привело: { $time }.* { $why }
error-session-not-filled = Підсумку ще немає. Спершу напишіть його або заповніть форму на сторінці.
error-outcome-unfit = Це не те, про що просили: { $why } Спробуйте ще раз.
error-outcome-failed = І це не те, про що просили: { $why } Сесія не вдалася, і той, хто її просив, про це дізнається.
why-session-ended = { $status ->
        [completed] { $name }: сесію підсумовано через { $after }: { $chosen }
        [timeout] Сесію вчасно ніхто не підсумував
        [failed] Сесія не вдалася через { $after }
       *[cancelled] Сесію скасовано
    }
misfit-no-json = Тут є щось, чого JSON не вміщує: NaN, Infinity або значення, що не належить до його типів.
misfit-deep = Забагато рівнів вкладеності. Зробіть простіше.
misfit-big = Тут { NUMBER($size, useGrouping: 0) } КБ, а зберігаємо щонайбільше { NUMBER($most, useGrouping: 0) } КБ. Решту покладіть у файл.
misfit-approval = Рішення має бути `approved` або `rejected`, а не { $given }.
misfit-selection = Має бути одне з { $known }, а не { $given }.
misfit-text = Має бути текст, і не порожній.
misfit-text-long = У тексті { NUMBER($length, useGrouping: 0) } символів, а можна щонайбільше { NUMBER($most, useGrouping: 0) }.
misfit-schema = { $said }
misfit-required = цього бракує.
misfit-type = тут має бути тип { $limit }.
misfit-enum = тут має бути одне з { $limit }.
misfit-format = це не у форматі { $limit }.
misfit-pattern = це не такого вигляду, як треба: { $limit }.
misfit-short = це закоротке: щонайменше { $limit }.
misfit-long = це задовге: щонайбільше { $limit }.
misfit-least = тут має бути щонайменше { $limit }.
misfit-most = тут має бути щонайбільше { $limit }.
misfit-extra = тут є щось зайве: { $said }.
error-session-filled-anew = Відколи показано цю картку, занотоване змінилося. Перегляньте його ще раз, а тоді підсумовуйте.
inbox-how-session = Розібратися з агентом і підсумувати: { $command } session open { $id }
inbox-session = сесія: підсумувати з картки або на сторінці
