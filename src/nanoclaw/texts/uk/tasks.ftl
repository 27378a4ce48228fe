# Задачі: коли вони починаються, що роблять, чим закінчилися.

## When

error-when-unclear = Не вдалося зрозуміти час «{ $text }». Напишіть, як часто (щопонеділка о 8:00, по буднях о 9:00, кожні 2 години), коли саме (завтра о 9:00, через 2 години, 2026-11-20 08:00), або п'ять полів cron (0 8 * * 1).
error-when-missing = Бракує часу, коли це зробити. Напишіть, як часто (щопонеділка о 8:00, по буднях о 9:00, кожні 2 години), коли саме (завтра о 9:00, через 2 години, 2026-11-20 08:00), або п'ять полів cron (0 8 * * 1).
error-when-zone = «{ $text }» називає інший годинник, а час тут за вашим. Напишіть час за своїм або змініть його: /timezone Europe/Kyiv.
error-when-line = «{ $text }» не починається з часу, який вдалося зрозуміти. Спочатку час, потім що зробити: щопонеділка о 8:00 надішли новини; завтра о 9:00 подзвони в банк; 0 8 * * 1 надішли новини.
error-when-clock = О котрій годині? Додайте до «{ $text }» час, як-от 9:00 або 18:30: щодня о 9:00, щопонеділка о 18:30.
error-when-clocks = Одна задача не може виконуватися в усі ці часи: «{ $text }». Створіть окрему задачу на кожен; або нехай хвилини будуть однакові: щодня о 9:00 та 18:00.
error-when-every-other = «{ $text }» так не вийде: годину мають лише дні, тижні, місяці й роки, що йдуть поспіль. Напишіть відстань, яка рахується від цієї миті (кожні 2 дні, кожні 2 тижні), або назвіть дні (щопонеділка, щосереди та щоп'ятниці о 9:00).
error-when-no-such-day = «{ $text }» ніколи не настане: такого дня немає. Виберіть той, що є в календарі, як-от 28 лютого о 9:00.
error-when-no-such-clock = Такого часу, як у «{ $text }», годинник не показує. Години йдуть від 0 до 23, хвилини від 00 до 59, як-от 9:00 або 23:59.
error-when-end = Не зрозуміло, де в «{ $text }» закінчується час. Поставте після нього |: щодня о 9:00 | надішли мені новини.
error-cron-seconds = У «{ $text }» шість полів; секунд тут немає. Напишіть п'ять: хвилина, година, день місяця, місяць, день тижня. 0 8 * * 1 означає щопонеділка о 8:00.
error-cron-fields = «{ $text }» не складається з п'яти полів. У cron їх рівно п'ять: хвилина, година, день місяця, місяць, день тижня. 0 8 * * 1 означає щопонеділка о 8:00. Словами: щопонеділка о 8:00.
error-cron-field = У «{ $text }» { $field ->
        [minute] хвилина «{ $value }» не годиться. Напишіть від 0 до 59, як-от 30, 0,30 або */15.
        [hour] година «{ $value }» не годиться. Напишіть від 0 до 23, як-от 8, 8,18 або 9-17.
        [day-of-month] день місяця «{ $value }» не годиться. Напишіть від 1 до 31, як-от 1 чи 1,15, або L для останнього дня.
        [month] місяць «{ $value }» не годиться. Напишіть від 1 до 12 або назву, як-от 3 чи MAR.
       *[other] день тижня «{ $value }» не годиться. Напишіть від 0 (неділя) до 6 або назву, як-от 1, MON чи 1-5.
    }
error-cron-never = «{ $text }» ніколи не настане: такого дня не буває. Виберіть інший день, як-от 0 9 28 2 *, або L для останнього дня місяця: 0 9 L * *.
error-interval-short = Задача може виконуватися щонайбільше раз на хвилину, а { $seconds ->
        [one] { $seconds } секунда
        [few] { $seconds } секунди
       *[many] { $seconds } секунд
    } — це частіше. Напишіть, наприклад, кожні 15 хвилин або кожні 2 години.
error-interval-long = Задача має виконуватися хоча б раз на рік, а { $days ->
        [one] { $days } день
        [few] { $days } дні
       *[many] { $days } днів
    } — це рідше. Напишіть, наприклад, кожні 30 днів, або дату в п'яти полях cron: 0 9 1 1 *.
error-timezone-unknown = Поясу «{ $zone }» немає. Напишіть назву, як-от Europe/Kyiv або America/New_York.

## Tasks in a chat

weekday-0 = пн
weekday-1 = вт
weekday-2 = ср
weekday-3 = чт
weekday-4 = пт
weekday-5 = сб
weekday-6 = нд
task-card-active = 🗓 **Задача { $id }**
task-card-paused = ⏸ **Задачу { $id } призупинено**
task-card-completed = ✅ **Задачу { $id } виконано**
task-card-failed = ❌ **Задача { $id } не вдалася**
task-card-cancelled = ✖️ **Задачу { $id } зупинено**
task-card-deleted = 🗑 **Задачу { $id } видалено**
task-every = кожні { $span }
task-cron = cron { $cron }
task-once = один раз
task-hourly = щогодини о :{ $minute }
task-daily = щодня о { $clocks }
task-on-weekdays = по буднях о { $clocks }
task-on-weekends = у вихідні о { $clocks }
task-on-days = { $days } о { $clocks }
task-on-date = щомісяця { $day } числа о { $clocks }
task-on-last = щомісяця в останній день о { $clocks }
task-yearly = щороку { $day } { $month } о { $clocks }
task-on-placed =
    щомісяця { $place ->
        [1] у { $day ->
            [2] першу
            [4] першу
            [5] першу
            [6] першу
           *[0] перший
        }
        [2] у { $day ->
            [2] другу
            [4] другу
            [5] другу
            [6] другу
           *[0] другий
        }
        [3] у { $day ->
            [2] третю
            [4] третю
            [5] третю
            [6] третю
           *[0] третій
        }
        [4] у { $day ->
            [2] четверту
            [4] четверту
            [5] четверту
            [6] четверту
           *[0] четвертий
        }
       *[0] в { $day ->
            [2] останню
            [4] останню
            [5] останню
            [6] останню
           *[0] останній
        }
    } { $day ->
        [0] понеділок
        [1] вівторок
        [2] середу
        [3] четвер
        [4] п'ятницю
        [5] суботу
       *[6] неділю
    } о { $clocks }
month-of-1 = січня
month-of-2 = лютого
month-of-3 = березня
month-of-4 = квітня
month-of-5 = травня
month-of-6 = червня
month-of-7 = липня
month-of-8 = серпня
month-of-9 = вересня
month-of-10 = жовтня
month-of-11 = листопада
month-of-12 = грудня
weekday-each-0 = щопонеділка
weekday-each-1 = щовівторка
weekday-each-2 = щосереди
weekday-each-3 = щочетверга
weekday-each-4 = щоп'ятниці
weekday-each-5 = щосуботи
weekday-each-6 = щонеділі
task-cut = 📄 На цій картці немає символів: { $hidden } із { $whole } ({ $names }). Усе — в документі { $file }.
task-part-work = завдання
task-part-check = перевірка
task-check = 🔎 Перед кожним запуском ця команда вирішує, чи потрібен агент:
task-next = { $count ->
        [one] Наступний раз:
       *[other] Наступні { $count } рази:
    }
task-zone-person = 🕐 За годинником: { $name }, { $zone }
task-zone-group = 🕐 За годинником цієї групи агента: { $zone } (свій задає /timezone)
task-zone-host = 🕐 За годинником цього хоста: { $zone } (свій задає /timezone)
task-zone-named = 🕐 За вказаним годинником: { $zone }
task-cost = 💰 Приблизно { $run } за запуск, { $month } на місяць ({ $runs ->
        [one] { $runs } запуск
        [few] { $runs } запуски
       *[many] { $runs } запусків
    }), за { $known ->
        [one] останнім подібним запуском
       *[other] останніми подібними запусками ({ $known })
    }.
task-cost-once = 💰 Приблизно { $run }, за { $known ->
        [one] останнім подібним запуском
       *[other] останніми подібними запусками ({ $known })
    }.
task-cost-unknown-once = 💰 Ціна буде відома після запуску.
task-cost-unknown = 💰 { $runs ->
        [one] { $runs } запуск на місяць.
        [few] { $runs } запуски на місяць.
       *[many] { $runs } запусків на місяць.
    } Ціна буде відома після першого.
task-button-p = ⏸ Пауза
task-button-r = ▶️ Продовжити
task-button-n = ⚡ Запустити
task-button-c = ✖️ Зупинити
task-button-e = ✏️ Змінити
task-button-t = 🕐 Час
task-button-w = 📝 Текст
task-button-b = ← Назад
task-button-d = 🗑 Видалити
task-button-x = 🗑 Так, видалити
task-why-failures = Вона надто часто поспіль не вдавалася.
task-why-group-gone = Її групи агентів { $group } більше немає, або її файл не читається.
task-why-owner-lost-rights = Той, хто її хотів, більше не може говорити з { $group }.
task-why-unwired = Її чат більше не підключено до { $group }.
task-why-skill-gone = Її скіла { $skill } більше немає.
task-line = **{ $id }** { $title }
        { $rhythm } · { $when }{ $last }
task-stored = 📝 Надсилається як є, без агента: це нічого не коштує.
task-texts-line = 📚 { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[many] { $count } текстів
    } з пакета **{ $batch }**: { $next ->
        [none] усі на паузі
       *[other] наступний { $next }, останній { $last }
    }{ $paused ->
        [0] { "" }
       *[other] { " " }· ⏸ на паузі { $paused }
    }
task-line-paused = ⏸ на паузі
task-line-next = далі { $time }
task-line-background = у фоні
task-line-running = виконується
task-line-unpaid = чекає на гроші
task-line-last = { " " }· останній раз: { $status }
tasks-head = Задачі (/task\_pause, /task\_resume, /task\_run, /task\_edit, /task\_history, /task\_delete і номер):
tasks-head-none = Задач немає. Заплануйте: /schedule щопонеділка о 8:00 надсилай мені новини
run-queued = 🕐 чекає на місце
run-running = ▶️ виконується
run-waiting = 🙋 чекає на людину
run-unpaid = 💰 чекає на гроші
run-retrying = 🔁 пробує ще раз
run-success = ✅ виконано
run-failed = ❌ не вдалося
run-skipped = ⏭ пропущено
run-missed = 💤 пропущено, бо хост не працював
run-cancelled = ✖️ зупинено
run-undelivered = 📭 виконано, але не доставлено
run-attempts = { $count ->
        [one] { $count } спроба
        [few] { $count } спроби
       *[many] { $count } спроб
    }
task-result = Задача { $id }: { $title }
task-result-late = Задача { $id }: { $title }. Із запізненням: мала бути { $time }
task-failed = ❌ **Задача { $id } не вдалася** після { $attempts ->
        [one] { $attempts } спроби
       *[other] { $attempts } спроб
    }: { $title }

    { $reason }
task-failed-next = ❌ **Задача { $id } не вдалася** після { $attempts ->
        [one] { $attempts } спроби
       *[other] { $attempts } спроб
    }: { $title }

    { $reason }

    Наступний запуск: { $next }
task-too-late = 💤 **Задачу { $id } не виконано**: { $title }

    { $reason }
task-too-late-next = 💤 **Задачу { $id } не виконано**: { $title }

    { $reason }

    Наступний запуск: { $next }
task-paused-by-failures = ⏸ **Задачу { $id } призупинено**: вона не вдалася { $failures ->
        [one] { $failures } раз
        [few] { $failures } рази
       *[many] { $failures } разів
    } поспіль. { $title }

    { $reason }

    Коли це буде виправлено, продовжте її тут або командою /task\_resume { $id }.
task-paused-notice = ⏸ **Задачу { $id } призупинено**: { $title }

    { $reason } Коли це буде виправлено, продовжте її тут або командою /task\_resume { $id }.
task-missed = 💤 **Задачу { $id } не виконано**: { $title }

    { $several ->
        [yes] Вона мала бути з { $first } до { $last }
       *[no] Вона мала бути { $first }
    }, коли цей хост не працював, і не надолужується.
task-not-delivered = 🚨 **Задача { $id } не доставила результат**: { $title }

    Вона мала бути { $due }, а результат мав надійти до { $by }. Зараз: { $state }. Чому: { $reason }
task-held = ⏳ Задача { $id } чекає: { $reason } Вона продовжиться сама. { $title }
task-edit-time = ✏️ Коли запускати задачу { $id }? **Дайте відповідь на це повідомлення** з часом, наприклад `щодня о 9:00`, або напишіть `/task_edit { $id } time щодня о 9:00`.

    > { $title }
task-edit-text = ✏️ Що має робити задача { $id }? **Дайте відповідь на це повідомлення** з текстом, або напишіть `/task_edit { $id } text …`.

    > { $title }
order-task-edit = ✏️ Задачу { $id } змінено: { $title } · { $rhythm } · далі { $next }
order-task-edit-paused = ✏️ Задачу { $id } змінено: { $title } · { $rhythm }. ⏸ Вона досі на паузі, продовжити: /task\_resume { $id }
task-edit-time-by-order = ✏️ Коли запускати задачу { $id }? Напишіть `/task_edit { $id } time щодня о 9:00`.

    > { $title }
task-edit-text-by-order = ✏️ Що має робити задача { $id }? Напишіть `/task_edit { $id } text …`.

    > { $title }
task-history-head = **Задача { $id }**: { $title }
task-history-none = Вона ще не запускалася.
press-choose-e = Що змінити в задачі { $id }? { $title }
press-choose-d = Видалити задачу { $id }: { $title }?
order-task-pause = ⏸ Задачу { $id } призупинено: { $title }. Продовжити: /task\_resume { $id }
order-task-resume = ▶️ Задача { $id } продовжується: { $title }. Далі: { $next }
order-task-delete = 🗑 Задачу { $id } видалено: { $title }
order-task-run = ⚡ Задача { $id } виконується: { $title }
order-task-cancel = ✖️ Задачу { $id } зупинено: { $title }

## Background tasks

background-accepted = ⏳ **Задачу { $id } прийнято.** { $estimate }
background-estimate = Орієнтовний час: { $minutes } хв.
background-runs = ⏳ **Задача { $id }** виконується вже { $since }. { $estimate }
background-done = ✅ **Задачу { $id } виконано** за { $took }
background-cancelled = ✖️ **Задачу { $id } зупинено** через { $took }
background-failed = ❌ **Задача { $id } не вдалася** через { $took }
background-result = ✅ **Задачу { $id } завершено**: { $title }

## Orders, timeline, audit

command-schedule = зробити щось пізніше або регулярно
command-tasks = що заплановано і що виконується у фоні
command-task-pause = призупинити задачу
command-task-resume = продовжити призупинену задачу
command-task-run = виконати задачу зараз
command-task-edit = змінити час або текст задачі
command-task-history = як пройшли запуски задачі
command-task-cancel = зупинити те, що виконується; розклад лишається
command-task-delete = видалити задачу
why-task-due = Задачу { $task } { $reason ->
        [manual] запустила людина
        [late] треба було виконати, коли хост не працював; вона надолужується
        [background] передано на виконання
       *[other] треба було виконати
    }
why-checked = { $needed ->
        [yes] Перевірка задачі сказала, що агент потрібен
       *[no] Перевірка задачі сказала, що агент не потрібен
    }
why-run-again = Не вдалося; ще одна спроба через { $seconds } с
audit-task-made = планує задачу { $subject } для { $group }: { $prompt }
audit-task-paused = призупиняє задачу { $subject }: { $prompt }
audit-task-resumed = продовжує задачу { $subject }: { $prompt }
audit-task-run = запускає задачу { $subject }: { $prompt }
audit-task-cancelled = зупиняє те, що робить задача { $subject }: { $prompt }
audit-task-edited = змінює задачу { $subject }: { $prompt }
audit-task-deleted = видаляє задачу { $subject }: { $prompt }

## What cannot be done

error-schedule-how = Напишіть коли і що: /schedule щопонеділка о 8:00 надсилай мені новини. Також: завтра о 9:00, через 2 години, кожні 90 хвилин, по буднях о 8:30, або п'ять полів cron.
error-no-such-task = Тут немає вашої задачі { $id }. Список дає /tasks.
error-task-which = Яка задача? Допишіть її номер після команди. Список дає /tasks.
error-task-no-agent = У цьому чаті ще немає агента. Спершу напишіть щось, а потім плануйте.
error-task-no-prompt = Не сказано, що зробити. Напишіть коли і що, наприклад: щопонеділка о 8:00 надсилай мені новини
error-task-prompt-long = Текст має { $length } символів, а задача може мати { $most }. Решту покладіть у файл групи і назвіть його в тексті.
error-task-no-skill = Немає скіла "{ $skill }". Є: { $known }.
error-task-no-model = Немає моделі "{ $model }". Напишіть { $known } або назву моделі так, як її пише постачальник.
error-task-not-wired = Група { $group } не має тут чату для результатів. Спершу підключіть: /wire { $group }
error-task-too-many = Група { $group } вже має { $most ->
        [one] { $most } задачу
        [few] { $most } задачі
       *[many] { $most } задач
    }, більше не можна. Видаліть зайві або підніміть { $setting } у nanoclaw.toml.
error-task-by-script = Скрипт із пісочниці не може змінювати задачі, поки ви працюєте для власника чи адміністратора. Скористайтеся інструментом change_task самі.
error-task-no-turn = Задачі можна планувати й змінювати лише тоді, коли ви для когось працюєте. Попросіть під час роботи.
error-task-no-thread = У гілці "{ $thread }" цього чату ще нічого не писали. Не вказуйте notify_thread_id: результат прийде у вашу гілку.
error-task-forbidden = Доручати щось { $group } можуть лише її учасники. Роль дає адміністратор: /role PERSON member { $group }
error-task-no-route = "{ $text }" - це не людина і не чат, куди можна написати. Вкажіть адресу (telegram:123, @name) або назву чату.
error-task-no-such-choice = { $name } не може бути "{ $value }". Можна: { $known }.
error-task-bad-number = { $name } не може бути "{ $value }". Напишіть ціле число від { $least } до { $most }.
error-task-span-long = { $name } не може бути "{ $value }": дозволено щонайбільше { $days ->
        [one] { $days } день
        [few] { $days } дні
       *[many] { $days } днів
    }.
error-task-paused-already = Задача { $id } вже на паузі.
error-task-not-active = Задача { $id } { $status ->
        [active] активна
        [paused] на паузі
        [completed] виконана
        [failed] невдала
        [cancelled] зупинена
       *[other] видалена
    }, тому з нею цього зробити не можна.
error-task-not-paused = Задача { $id } { $status ->
        [active] активна
        [paused] на паузі
        [completed] виконана
        [failed] невдала
        [cancelled] зупинена
       *[other] видалена
    }, вона не на паузі.
error-task-over = Час задачі { $id } минув. Запустіть її зараз: /task_run { $id }, або дайте новий час: /task_edit { $id } time завтра о 9:00.
error-task-runs-already = Задача { $id } саме виконується. Зачекайте або зупиніть її: /task_cancel { $id }.
error-task-runs-not = Задача { $id } зараз не виконується.
error-task-only-text = Задача { $id } надсилає вже готовий текст: навички, моделі чи перевірки в неї немає.
error-task-text-sent = Текст задачі { $id } саме надсилається: змінити його вже не можна.
error-task-edit-how = Напишіть, що змінити: /task_edit { $id } час щодня о 9:00 або /task_edit { $id } текст Надсилай мені новини.
error-task-group-gone = Групи агента { $group } задачі { $id } немає, або її файл не читається. Спершу виправте groups/{ $group }/group.toml.
error-task-owner-lost-rights = Той, хто хотів задачу { $id }, більше не може говорити з { $group }. Поверніть йому роль або заплануйте її самі.
error-task-unwired = Чат задачі { $id } більше не підключено до { $group }. Спершу підключіть: /wire { $group }
error-task-skill-gone = Скіла { $skill } задачі { $id } більше немає. Поверніть його, дайте задачі інший (nanoclaw tasks edit або сторінка) або видаліть її.
error-press-unknown = Ця кнопка вже нічого не означає.
error-run-not-needed = Перевірка сказала, що робити нічого.
error-run-overlaps = Попередній запуск ще тривав.
error-run-stale = Вона могла початися лише через { $seconds } с після свого часу, а це для неї запізно.
error-run-missed = Хост не працював.
error-check-forbidden = Перевірку задачі не запущено, бо на неї не дали дозволу.
error-check-unseen = Перевірку задачі не запущено: вона називає { $path }, куди хост не може зазирнути. Нехай вона користується звичайними файлами в /work або /memory.
error-check-slow = Перевірка задачі не завершилася за { $seconds } с.
error-check-failed = Перевірка задачі завершилася з кодом { $code }: { $said }
error-calendar-span = Календар показує від одного моменту до пізнішого, щонайбільше { $days ->
        [one] { $days } день
        [few] { $days } дні
       *[many] { $days } днів
    }.
error-no-owner = У цього хоста ще немає власника. Спершу запустіть його.

## The command line

help-tasks = Задачі за розкладом і ті, що виконуються у фоні. Без подальших слів — їхній список.
help-tasks-all = Разом із тими, що більше не виконуватимуться.
help-tasks-number = Номер задачі, як у списку.
help-tasks-add = Запланувати задачу: nanoclaw tasks add "щопонеділка о 8:00" "надсилай мені новини". З --background лише те, що треба зробити; вона починається одразу.
help-tasks-when = Коли: словами (щопонеділка о 8:00, завтра о 9:00, через 2 години, кожні 90 хвилин), моментом (2026-11-20 08:00, зі зсувом чи без) або в п'яти полях cron.
help-tasks-text = Що треба зробити.
help-tasks-skill = Навичка для цього; типово вибирає агент.
help-tasks-model = Модель для цього.
help-tasks-group = Група агентів, яка це робить; типово — головна.
help-tasks-to = Чат для результатів: його номер, назва або ідентифікатор людини.
help-tasks-zone = Часовий пояс, як-от Europe/Kyiv; типово — ваш.
help-tasks-check = Команда, яка спершу виконується в пісочниці: з кодом виходу 0 агент береться до роботи, з кодом 1 робити нічого.
help-tasks-quiet = Не надсилати результат у чат. Про невдачі ви все одно дізнаєтеся.
help-tasks-notify = Надсилати результати в чат чи ні.
help-tasks-catch-up = Що буде із запусками, час яких минув, коли хост не працював: none (жодного), latest (останній) чи all (усі).
help-tasks-most-caught-up = Для all: надолужити щонайбільше стільки запусків.
help-tasks-stale-after = Запуск, який запізнився більше ніж на стільки, пропускається: 30m, 2h, 1d або none.
help-tasks-overlap = Що буде із запуском, коли попередній ще триває: skip (пропустити) чи queue (дочекатися).
help-tasks-jitter = Починати у випадкову мить упродовж цього часу, щоб задачі не стартували всі разом: 5m або none.
help-tasks-retries = Скільки разів пробувати знову після невдачі.
help-tasks-retry-pause = Скільки чекати перед першою повторною спробою; кожна наступна пауза вп'ятеро довша.
help-tasks-pause-after = Призупинити задачу після стількох невдач поспіль.
help-tasks-deliver-by = Через стільки після свого часу результат має бути доставлено, інакше про це скажуть деінде: 30m або none.
help-tasks-alarm-to = Кому тоді сказати: id чи назва чату, або позначення людини.
help-tasks-background = Почати одразу, в окремій ізоляції; для роботи, що триває довго.
help-tasks-priority = Хто з тих, що чекають на місце, йде першим: low, normal чи high.
help-tasks-minutes = Скільки приблизно хвилин це триватиме.
help-tasks-show = Усе про одну задачу.
help-tasks-edit = Змінити задачу; що не названо, лишається. Порожнє значення ("") прибирає скіл, модель, перевірку або того, кому повідомити.
help-tasks-pause = Призупинити задачу.
help-tasks-resume = Продовжити призупинену задачу з її наступного часу.
help-tasks-run = Запустити задачу зараз, окрім її власного часу.
help-tasks-cancel = Зупинити те, що задача робить зараз. Далі вона виконуватиметься як завжди.
help-tasks-delete = Видалити задачу і зупинити те, що вона робить.
help-tasks-yes = Не перепитувати.
help-tasks-history = Як пройшли запуски задачі, найновіші перші: коли, результат, тривалість, ціна.
help-tasks-calendar = Що виконувалося сьогодні і що буде, день за днем.
help-tasks-days = Стільки днів, починаючи із сьогодні.
tasks-none = Задач немає. Заплануйте: nanoclaw tasks add "щопонеділка о 8:00" "надсилай мені новини"
tasks-more = Показано лише найновіші: { $limit }. Більше з --limit.
tasks-head-one = Задача { $id }
tasks-where = Для групи агентів { $group }; результати отримує чат «{ $chat }»
tasks-owner = Замовлено: { $name }, з { $time }
tasks-skill = Скіл: { $value }
tasks-model = Модель: { $value }
tasks-check = Перевірка: { $value }
tasks-quiet = Результати не надсилаються, лише невдачі.
tasks-background = ⏳ у фоні, пріоритет { $priority }
tasks-status = { $status ->
        [completed] ✅ виконано
        [failed] ❌ не вдалася
        [cancelled] ✖️ зупинено
        [deleted] 🗑 видалено
       *[other] ▶️ виконується
    }
tasks-last = останній раз: { $status }
tasks-zone-person = 🕐 За годинником: { $name }, { $zone }
tasks-zone-group = 🕐 За годинником групи агента: { $zone } (інший називає --zone, свій задає /timezone у чаті)
tasks-zone-host = 🕐 За годинником цього хоста: { $zone } (інший називає --zone, свій задає /timezone у чаті)
tasks-zone-named = 🕐 За вказаним годинником: { $zone }
tasks-zone-shown = Час показано за вашим годинником: { $zone }
tasks-catch-up = { $how ->
        [none] Пропущені запуски не надолужуються.
        [latest] З пропущених запусків надолужується останній.
       *[all] Пропущені запуски надолужуються, щонайбільше останні { $most }.
    }
tasks-overlap = { $how ->
        [skip] Запуск, час якого настав, поки триває попередній, пропускається.
       *[queue] Запуск, час якого настав, поки триває попередній, чекає на нього.
    }
tasks-retries = { $count ->
        [0] Після невдачі нової спроби немає.
        [one] Після невдачі { $count } нова спроба, через { $span }.
        [few] Після невдачі { $count } нові спроби, перша через { $span }.
       *[many] Після невдачі { $count } нових спроб, перша через { $span }.
    }
tasks-pause-after = { $count ->
        [one] Призупиняється після { $count } невдачі поспіль.
       *[other] Призупиняється після { $count } невдач поспіль.
    }
tasks-stale-after = Із запізненням понад { $span } вже не виконується.
tasks-jitter = Починається впродовж { $span } після свого часу.
tasks-deliver-by = { $named ->
        [yes] Якщо через { $span } після її часу результат не надійшов, про це дізнається { $whom }.
       *[no] Якщо через { $span } після її часу результат не надійшов, власнику скажуть деінде.
    }
tasks-runs = { $count ->
        [0] Вона ще не запускалася.
        [one] { $count } запуск{ $failures ->
            [0] .
           *[other] , невдач поспіль: { $failures }.
        }
        [few] { $count } запуски{ $failures ->
            [0] .
           *[other] , невдач поспіль: { $failures }.
        }
       *[many] { $count } запусків{ $failures ->
            [0] .
           *[other] , невдач поспіль: { $failures }.
        }
    }
tasks-reason-late = надолужено
tasks-reason-manual = запустила людина
tasks-calendar-none = У ці дні нічого не виконувалося і не виконуватиметься.
tasks-calendar-times = { $count ->
        [one] { $count } раз
        [few] { $count } рази
       *[many] { $count } разів
    }
tasks-calendar-more = Усе не вміщується. Оберіть менше --days.
tasks-done-pause = Задачу { $id } призупинено. Продовжити: nanoclaw tasks resume { $id }
tasks-done-resume = Задача { $id } триває далі.
tasks-done-run = Задача { $id } виконується зараз. Як вона йде: nanoclaw tasks history { $id }
tasks-done-cancel = Те, що робила задача { $id }, зупинено.
tasks-done-delete = Задачу { $id } видалено.
tasks-delete-sure = Видалити задачу { $id } ({ $title })? т/Н
tasks-kept = Нічого не видалено.
tasks-no-host = Зараз хост не працює, тож нічого не виконується. Запустіть такий, що лишається: { $command } up
error-tasks-no-such = Задачі { $id } немає. Які є: nanoclaw tasks
error-tasks-add-what = Що треба зробити? Напишіть коли і що: nanoclaw tasks add "щопонеділка о 8:00" "надсилай мені новини"
error-tasks-add-at-once = Фонова задача починається одразу. Не вказуйте час: nanoclaw tasks add --background "перевір усіх конкурентів"
error-tasks-edit-what = Що змінити? Назвіть: nanoclaw tasks edit 5 --when "щодня о 9:00", або --text, --zone, --retries; усе показує --help.
help-tasks-thinking = Скільки модель думає перед відповіддю: off, low, high або auto.
tasks-thinking = Роздуми перед відповіддю: { $how ->
    [off] без них
    [low] трохи
    [high] багато
   *[auto] залежно від складності завдання
 }
