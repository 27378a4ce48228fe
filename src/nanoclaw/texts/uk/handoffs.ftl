# Передачі: що агенти передають одне одному.

handoff-asked = { $sender } хоче передати роботу навичці { $receiver } для { $name }. Дозволити?
handoff-asked-git = Через git { $sender } просить { $receiver } з { $group } виконати роботу. Написати це міг кожен, хто може надсилати зміни до віддаленого репозиторію. Почати?
handoff-git-refused = { $count ->
    [one] { $count } файл, що прийшов через git, не можна прийняти як передавання роботи:
    [few] { $count } файли, що прийшли через git, не можна прийняти як передавання роботи:
   *[other] { $count } файлів, що прийшли через git, не можна прийняти як передавання роботи:
}
    { $files }{ $more ->
    [0] {""}
   *[other] {" "}… і ще { $more }
}
handoff-no-result = Передане навичці { $skill } не має результату: { $reason }
handoff-refused-alert = Агент { $skill } групи { $group } хотів передати роботу й дістав відмову: { $reason }

handoff-state-asked = Чекає на людину
handoff-state-waiting = Чекає
handoff-state-running = У роботі
handoff-state-done = Готово
handoff-state-failed = Не вдалося.
handoff-state-refused = Відмовлено.
handoff-state-expired = Час минув.
handoff-state-cancelled = Скасовано.

error-handoff-not-as-shown = Це вже не те, що було показано, коли на це погодилися. Передайте роботу ще раз: людей запитають знову.
error-handoff-stranger = За людину, яка це написала, ніхто не поручився, тому інших агентів для неї не запускають.
error-handoff-other-company = Роботу ніколи не передають іншій компанії: { $company } — це не { $own }.
error-handoff-group-unknown = Немає групи { $group }, файл якої можна прочитати.
error-handoff-group-not-yours = Щоб передати роботу групі { $group }, людина має бути її адміністратором, а просити має сам агент, не скрипт.
error-handoff-group-inside = Субагент має файли власної групи. Щоб дістатися { $group }, оберіть спосіб session.
error-handoff-group-files = У { $group } інші файли. Напишіть усе потрібне в content і не додавайте attachments.
error-handoff-no-skill = Немає навички «{ $skill }». Є: { $known }.
error-handoff-skill-gone = Навичку { $skill } тим часом видалено.
error-handoff-to-self = { $skill } не може передати роботу собі. Зробіть її або оберіть іншу навичку.
error-handoff-circle = Робота вже була у { $skill }: { $way }. Натомість дайте свій результат: його отримає той, хто чекає.
error-handoff-hops = Робота пройшла через { $most } рук і далі не піде. Завершіть її самі.
error-handoff-one-receiver = Кілька отримувачів має лише паралельна передача (parallel). Для { $type } назвіть одну навичку.
error-handoff-inside-hitl = Субагент починає одразу. Щоб спершу погодилася людина, оберіть спосіб session або запитайте через request_human.
error-handoff-nobody-to-wake = Цей хід належить завданню або кроку й закінчується разом із ним: { $type } не матиме кого розбудити. Оберіть спосіб inside або sequential.
error-handoff-too-long = У змісті приблизно { $tokens } токенів, а дозволено { $most }. Скоротіть його, покладіть у файл під /work і назвіть у attachments або дозвольте більше через max_context_tokens.
error-handoff-expired = Її час минув { $at }, і після цього ніщо не починається.
error-handoff-moment = «{ $text }» — не момент часу. Пишіть так: 2026-03-02T15:00Z.
error-handoff-too-many = За один хід можна передати щонайбільше { $most } разів. Решту зробіть самі або в іншому ході.
error-handoff-chain-long = З одного повідомлення вже виникло { $most } передач, і це межа. Дайте свій результат.
error-handoff-budget = Усе, що виникло з першого повідомлення, коштувало вже стільки, скільки дозволено ({ $spent } з { $budget }). Дайте свій результат.
error-handoff-other-chain = { $chain } — не той ланцюжок, якому належить цей хід. Не пишіть його: хост знає сам.
error-handoff-other-step = Наступний крок цього ланцюжка — { $expected }, а не { $step }. Не пишіть його: хост знає сам.
error-handoff-no-turn = Зараз немає ходу. Передавайте, поки він триває.
error-handoff-lost-rights = { $name } більше не має доступу до цієї групи, тому для цієї людини нічого не робиться.
error-handoff-unknown = Немає передачі { $id }.
error-handoff-over = Вона вже завершена.
error-handoff-not-yours = Скасувати її може лише людина, для якої вона працює, та адміністратори групи.
error-handoff-cancelled-by = { $name } скасовує її.
error-handoff-cut-off = Хід, який на неї чекав, було перервано.
error-handoff-altered = Контракт { $id } каже не те, що було передано.
error-handoff-file-unreadable = Це не вдається прочитати ні як контракт, ні як результат.
error-handoff-file-form = { $said }
error-handoff-file-other-id = У ньому інший ідентифікатор, ніж у назві файлу: { $id }.
error-handoff-not-through-git = { $id } передано не через git, тож ніщо звідти його не завершує.
error-handoff-result-empty = Результат порожній.
error-handoff-result-long = У результаті { $length } символів, а дозволено { $most }. Покладіть решту у файл робочого простору й назвіть його.
error-handoff-failed-elsewhere = Той, хто взявся за роботу, не зміг її виконати: { $said }
error-handoff-no-group = Компанії { $company } не належить жодна група.
error-handoff-no-owner = Немає власника, якого можна запитати.
error-handoff-git-many = Уже відкрито { $most } контрактів, що прийшли через git. Змініть його й надішліть знову, коли частина з них завершиться.
error-handoff-undecided = Ніхто не погодився вчасно.
error-handoff-not-wanted = { $name } не хоче цього.

audit-handoff-cancelled = скасовує передачу навичці { $skill }

help-handoffs = Що агенти передають одне одному: список, перегляд, скасування
help-handoffs-list = Показати передачі, найновіші спершу
help-handoffs-open = Лише незавершені
help-handoffs-show = Показати передачу, її результат і ланцюжок
help-handoffs-cancel = Скасувати передачу й усе, що її отримувач передав далі
help-handoffs-id = Ідентифікатор передачі, як у списку

handoffs-none = Ще нічого не передавали.
handoffs-cancelled-now = Скасовано. { $skill } зупиняється, а відправник про це дізнається.
handoffs-times = Передано { $begun }; після { $ends } ніщо не починається.
handoffs-for = Для { $name }, чат { $chat }
handoffs-result = Результат:
handoffs-chain = Ланцюжок: { $count ->
        [one] { $count } передача
        [few] { $count } передачі
       *[many] { $count } передач
    }, { $cost }
handoffs-asked = чекає на людину
handoffs-waiting = чекає
handoffs-running = у роботі
handoffs-done = готово
handoffs-failed = не вдалося
handoffs-refused = відмовлено
handoffs-expired = час минув
handoffs-cancelled = скасовано

# Демо-агент
demo-handoff-given = Передано. Дивіться на сторінці в розділі «Передачі» або командою `nanoclaw handoffs`.
demo-handoff-done-by = Повернулося до мене від { $skill }:

    { $said }
demo-handoff-returned = Повернулося до мене:

    { $said }
demo-handoff-done = Тепер я — { $skill }, і мені доручено ось що:

    { $said }

    Справжній агент зробив би це; я демо й лише повертаю його.

# Чому: що виникло з повідомлення
why-run-asked = конвеєр «{ $title }» ({ $id })
why-run-step-started = почався крок { $number }: { $role ->
    [HITL] схвалення людиною
   *[other] { $role }
}
why-run-step-ended = крок { $number }, { $role ->
    [HITL] схвалення людиною
   *[other] { $role }
}: { $state ->
        [done] готово
        [skipped] пропущено
        [failed] не вдалося
       *[cancelled] скасовано
    }
why-run-done = конвеєр «{ $title }» завершено
why-run-failed = конвеєр «{ $title }» не вдався
why-run-cancelled = конвеєр «{ $title }» скасовано
why-handed-over = { $sender } передає роботу навичці { $receiver } (крок { $step } ланцюжка, { $id })
why-handoff-ended = { $receiver } (крок { $step }): { $state ->
        [done] готово
        [failed] не вдалося: { $reason }
        [refused] відмовлено: { $reason }
        [expired] запізно: { $reason }
       *[cancelled] скасовано
    }

# Сторінка
console-handoffs = Передачі
console-handoffs-about = Агенти передають роботу одне одному: кожен ланцюжок, від повідомлення людини до останньої відповіді.
console-handoffs-none = Ще нічого не передавали. Попросіть агента доручити частину роботи іншому.
console-handoff-chain = Ланцюжок
console-handoff-from = від { $skill }
console-handoff-asked = чекає на людину
console-handoff-waiting = чекає
console-handoff-running = у роботі
console-handoff-done = готово
console-handoff-failed = не вдалося
console-handoff-refused = відмовлено
console-handoff-expired = час минув
console-handoff-cancelled = скасовано
console-handoff-way-inside = у межах ходу
console-handoff-way-session = власна пісочниця
console-handoff-way-git = через git
console-handoff-type-sequential = відповідає в чат
console-handoff-type-callback = результат повертається
console-handoff-type-parallel = паралельно
console-handoff-cancel = Скасувати передачу
console-handoff-cancel-not = Хай триває
console-handoff-cancel-title = Скасувати цю передачу?
console-handoff-cancel-sentence = Агент, який над нею працює, зупиниться, як і всі, кому він передав роботу далі. Відправник про це дізнається.
console-handoff-given = Що передано
console-handoff-reason = Чому немає результату
console-handoff-result = Результат
console-handoff-contract = Увесь контракт
console-handoff-for = Для
console-handoff-until = Почнеться не пізніше
console-handoff-cost = Вартість ланцюжка
console-handoff-cost-of = { $is } із { $most }
console-handoff-source = Джерело
console-handoff-hearsay = Частково ззовні: файл, вебсторінка або незнайомець
