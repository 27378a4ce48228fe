# Конвеєри в чаті: картка перед запуском, одне повідомлення про запуск, команди.

option-start = ▶️ Почати

start-asked = Почати **{ $title }**: { $subject }?
start-waits = щонайбільше { $time }
start-together = водночас із { $steps }
start-estimate = 💰 { $cost } · ⏱ { $time } ({ $runs ->
        [0] за цінами: досі не запускалося
        [one] за { $runs } попереднім запуском
       *[other] за { $runs } попередніми запусками
    })
start-free = безкоштовно
start-cost-unknown = ціна невідома
start-author = ✍️ У самому шаблоні сказано: { $expected }
start-budget = 🔒 Більше ніж { $budget } не витратить
start-from-step = 🔁 Ще раз, від кроку { $step }

pipeline-card-asked = 📋 **{ $title }**: { $subject } · `{ $id }` чекає на ваше «так»
pipeline-card-running = ⚙️ **{ $title }**: { $subject } · `{ $id }`
pipeline-card-done = ✅ **{ $title }**, готово: { $subject } · `{ $id }`
pipeline-card-failed = ❌ **{ $title }**, не вдалося: { $subject } · `{ $id }`
pipeline-card-cancelled = ✖️ **{ $title }**, скасовано: { $subject } · `{ $id }`
pipeline-where = Крок { $n } з { $of }
pipeline-where-asked = Крок { $n } з { $of }: чекає на людину
pipeline-where-unpaid = Крок { $n } з { $of }: чекає на гроші
pipeline-approval = схвалення людиною
pipeline-attempt = спроба { $n }
pipeline-faults = ⚠️ зауважень: { $count }
pipeline-steps-before = - … раніше ще { $count ->
        [one] { $count } крок
        [few] { $count } кроки
       *[other] { $count } кроків
    }
pipeline-steps-after = - … і ще { $count ->
        [one] { $count } крок
        [few] { $count } кроки
       *[other] { $count } кроків
    }
pipeline-figures-so-far = 💰 поки що { $cost } · ⏱ { $time }
pipeline-figures = 💰 { $cost } · ⏱ { $time }
pipeline-figures-estimated = { "" } (за оцінкою: { $expected })
pipeline-seconds = { $range } с
pipeline-minutes = { $range } хв
pipeline-line = - `{ $id }` { $title }: { $subject } · { $status }{ $where }{ $cost }
pipeline-line-step = , кроків: { $n } з { $of }
pipeline-status-asked = чекає на ваше «так»
pipeline-status-running = триває
pipeline-status-unpaid = чекає на гроші
pipeline-status-done = готово
pipeline-status-failed = не вдалося
pipeline-status-cancelled = скасовано

start-example = ШІ в маркетингу
start-no-subject = Про що має бути **{ $title }**? Напишіть тему разом із командою, наприклад: `{ $example }`
start-vague = Про що саме має бути **{ $title }**? «{ $said }» нічого не скаже агентам: вони не бачать цього чату. Наприклад: `{ $example }`
start-which = На ці слова відгукується кілька конвеєрів. Який ви маєте на увазі?
start-same = Ви щойно про це просили: картка вище, запуск `{ $id }` конвеєра **{ $title }**, і є ваш запит.
start-broken = Цей конвеєр не запуститься: у його шаблоні { $file }, рядок { $line }, є помилка. { $mistake }. { $more ->
        [0] Виправте її, і з наступного повідомлення все працюватиме.
        [one] Є ще { $more } помилка, усі покаже `{ $command } pipelines check { $file }`.
        [few] Є ще { $more } помилки, усі покаже `{ $command } pipelines check { $file }`.
       *[other] Є ще { $more } помилок, усі покаже `{ $command } pipelines check { $file }`.
    }

command-pipelines = конвеєри: які є, що триває, що було останнім
command-pipeline-cancel = скасувати запуск конвеєра
command-pipeline-retry = повторити конвеєр, починаючи з певного кроку
pipelines-head = Конвеєри, які ви можете запустити:
pipelines-none = Конвеєрів немає. Шаблон конвеєра: це файл у теці `foundation/process_templates/`.
pipelines-template = - **{ $title }**: { $commands } · { $steps ->
        [one] { $steps } крок
        [few] { $steps } кроки
       *[other] { $steps } кроків
    }
pipelines-template-broken = - ⚠️ { $name }: у шаблоні помилка
pipelines-open = Зараз тривають:
pipelines-over = Останні запуски:
pipelines-foot = Зупинити запуск: `/pipeline_cancel ЗАПУСК`. Запустити ще раз від кроку: `/pipeline_retry ЗАПУСК КРОК`.
order-pipeline-cancel = Скасовано: **{ $title }**, { $subject } (`{ $id }`). Те, що вже зроблено, збережено.
order-pipeline-retry = Ще раз від кроку { $step }: **{ $title }**, { $subject } (`{ $id }`). Попередній запуск лишається, як був.
error-run-no-agent = Жоден агент цього чату не приймає від вас конвеєрів.
error-run-several = Який саме? { $runs }
error-run-none-open = У цьому чаті немає запуску, який ви могли б скасувати. /pipelines покаже все, що вам видно.
error-run-none-over = У цьому чаті немає завершеного запуску, який ви могли б повторити. /pipelines покаже все, що вам видно.
error-run-retry-how = Напишіть запуск і крок, з якого продовжити: /pipeline_retry ab12c 3. Що стоїть після номера кроку, буде приміткою для його агента.

help-pipelines-list = Шаблони та запуски, найновіші спершу.
help-pipelines-show = Один запуск: кроки, що виміряно, скільки коштувало.
help-pipelines-run = Запустити конвеєр і стежити за ним до кінця. Після Ctrl-C він триває далі.
help-pipelines-cancel = Скасувати запуск. Зроблене збережеться.
help-pipelines-retry = Запустити ще раз: з місця зупинки або з певного кроку. Старий запуск лишається.
help-pipelines-export = Записати запуск у файли: тексти, результати, витрати, шаблон.
help-pipelines-ref = Запуск: кінець його ідентифікатора, як його показує `list`.
help-pipelines-template = Назва шаблону або його команда.
help-pipelines-subject = Тема, у лапках.
help-pipelines-group = Група агентів; якщо не вказано, головна.
help-pipelines-to = Чат, який отримає зроблене; якщо не вказано, ваш власний.
help-pipelines-budget = Найбільше, що він може витратити, у доларах.
help-pipelines-yes = Почати без запитань.
help-pipelines-detach = Не чекати завершення.
help-pipelines-of-template = Лише запуски цього шаблону.
help-pipelines-status = Лише запуски в цьому стані.
help-pipelines-texts = Разом із текстами, які він створив.
help-pipelines-from = Крок, з якого продовжити.
help-pipelines-note = Примітка для агента цього кроку.
help-pipelines-text-file = Файл, текст якого крок отримає замість свого входу.
help-pipelines-folder = Нова або порожня тека.
pipelines-steps = { $count ->
        [one] { $count } крок
        [few] { $count } кроки
       *[other] { $count } кроків
    }
pipelines-broken = не можна використати
pipelines-no-runs = Запусків немає.
pipelines-estimate = Очікується: { $expected } ({ $runs ->
        [0] за цінами: досі не запускалося
        [one] за { $runs } попереднім запуском
       *[other] за { $runs } попередніми запусками
    })
pipelines-sure = Почати? [т/Н]
pipelines-not-begun = Нічого не запущено.
pipelines-begun = Запуск { $id } конвеєра { $title }
pipelines-goes-on = Запуск триває без вас: `{ $command } pipelines show { $id }` покаже, де він, `{ $command } pipelines cancel { $id }` зупинить його.
pipelines-lost = Хост зник. Запуск продовжиться з наступним; чекаємо на нього…
pipelines-asks = 🙋 Питають людину: { $question }
pipelines-choice = { "    " }{ $command } decide { $id } { $option }   ({ $label })
pipelines-ended-done = ✅ Запуск { $id } завершено.
pipelines-ended-failed = ❌ Запуск { $id } не вдався.
pipelines-ended-cancelled = ✖️ Запуск { $id } скасовано.
pipelines-exported = У теці { $folder } { $count ->
        [one] { $count } файл.
        [few] { $count } файли.
       *[other] { $count } файлів.
    }
error-pipelines-no-such-run = Запуску { $id } немає. `{ $command } pipelines list` показує їх усі.
error-pipelines-no-such-status = Стану «{ $value }» немає. Є: { $known }.
error-pipelines-say-yes = Запуск коштує грошей, а спитати тут нікого: додайте --yes.
error-pipelines-text-unreadable = { $path } не вдається прочитати ({ $said }).
error-export-not-empty = { $path } не порожня. Назвіть нову теку.
error-export-unwritable = У { $path } не вдається записати ({ $said }).

pipeline-button-c = ✖️ Скасувати
pipeline-button-r = 🔁 Повторити звідти
pipeline-again = Ще раз від кроку { $step }: запуск { $id }
