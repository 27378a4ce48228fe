# Пакети текстів у чаті: картка перед запуском, одне повідомлення про пакет, перевірка текстів, команди.

batch-option-part = ▶️ Лише { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[other] { $count } текстів
    }
batch-option-review = 👀 Переглянути по одному
batch-option-daily = 📅 По одному на день
batch-option-files = 💾 Зберегти у файли
batch-option-later = ⏸ Пізніше

batch-texts = тексти
batch-asked = Згенерувати { $count } × **{ $subject }**?
batch-free = 💰 Безкоштовно: тексти вигадує демоагент. З ключем їх напише справжня модель.
batch-cost = 💰 ≈ { $cost } замість { $alone }, якщо писати по одному
batch-asked-how = ✍️ { $model }{ $skill ->
        [none] { "" }
       *[other] , навичка { $skill }
    }{ $channel ->
        [none] { "" }
       *[other] , правила каналу { $channel }
    }
batch-asked-topics-more = … і ще тем: { $count }, як їх було названо
batch-asked-grade = 🎯 Кожен текст оцінить мала модель; нижче { $grade } з 10 не пройде
batch-asked-budget = ⚠️ У бюджеті лишилося { $left }. Усі тексти ({ $count }) можуть коштувати до { $most }, тож вистачить на { $fits }.
batch-same = Ви щойно про це просили: картка вище, пакет `{ $id }`, саме про це.

batch-head = 📦 **{ $count } × { $subject }** · `{ $id }`
batch-state-asked = 📋 Чекає на ваше «так»
batch-state-preparing = ⏳ Шукаю теми й пишу завдання: { $topics } з { $of }
batch-state-waiting = ⏸ Чекає; продовжиться сам. Готово { $ready }/{ $of }
batch-state-unpaid = 💰 Чекає на гроші; продовжиться сам. Готово { $ready }/{ $of }
batch-state-running = ⏳ Готово { $ready }/{ $of }
batch-state-checking = 🔍 Перевіряю { $ready ->
        [one] { $ready } текст
        [few] { $ready } тексти
       *[other] { $ready } текстів
    }
batch-state-ready = ✅ Готово: { $ready }
batch-state-done = ✅ Завершено
batch-state-failed = ❌ Не вдалося. Готово { $ready }/{ $of }
batch-state-cancelled = ✖️ Скасовано. Готове збережено: { $ready }/{ $of }
batch-kept-how = Прочитати: `/batch_results { $id }`. Переглянути, запланувати й зберегти можна на сторінці «Пакети».
batch-ready = ✅ { $ready ->
        [one] { $ready } текст готовий
        [few] { $ready } тексти готові
       *[other] { $ready } текстів готово
    }, перевірку пройшли { $passed } з { $ready }{ $failed ->
        [0] { "" }
       *[other] ; не вдалося: { $failed }
    }
batch-fewer = ℹ️ Просили { $wanted }, але різних тем знайшлося лише { $count }.
batch-fewer-paid = ℹ️ Просили { $wanted }; бюджету вистачило на { $count }.
batch-spent = 💰 { $cost }
batch-spent-end = 💰 { $cost } (оцінка: { $expected })
batch-spent-of = 💰 наразі { $cost } (оцінка: { $expected })
batch-item-good = - ✅ { $number }\. { $topic }
batch-item-faulty = - ⚠️ { $number }\. { $topic }: { $faults }
batch-note-approved = 👍 схвалено
batch-note-rejected = 🗑 відхилено
batch-note-task = 🗓 задача { $task }
batch-item-waits = - ▫️ { $number }\. { $topic }
batch-item-failed = - ❌ { $number }\. { $topic }: { $said }
batch-item-expired = не написано за 24 години
batch-item-canceled = скасовано раніше, ніж написано
batch-item-no-reason = модель не назвала причини
batch-items-more = - … і ще { $count }
batch-again-how = Надіслати всі ці ще раз: `/batch_resubmit { $id }`. Лише один: `/batch_resubmit { $id } { $number }`.
batch-end-asked = **{ $ready ->
        [one] { $ready } текст готовий
        [few] { $ready } тексти готові
       *[other] { $ready } текстів готово
    }** ({ $subject }), перевірку пройшли { $passed } з { $ready }. Що з ними зробити?

batch-line = `{ $id }` { $count } × { $subject } · { $status }, { $ready }/{ $count }{ $cost }
batch-status-asked = чекає на ваше «так»
batch-status-preparing = готується
batch-status-waiting = чекає
batch-status-unpaid = чекає на гроші
batch-status-running = виконується
batch-status-checking = перевіряється
batch-status-ready = готово, чекає на ваше рішення
batch-status-done = завершено
batch-status-failed = не вдалося
batch-status-cancelled = скасовано

batches-head = **Пакети**, найновіші перші:
batches-none = Пакетів ще немає. Наприклад: `/batch_generate 30 постів для Telegram`
batches-foot = Один із них: `/batches НОМЕР`. Його тексти: `/batch_results НОМЕР`.
batch-results-foot = Один текст: `/batch_results { $id } 1`
batch-results-tasks = Поки текст не надіслано, його можна змінити: `/task_edit { $task } text …`, `/task_edit { $task } time friday 9:00`, `/task_delete { $task }`
order-batch-cancel = Скасовано: { $subject } (`{ $id }`). { $ready ->
        [0] Жодного тексту ще не написано.
        [one] Написаний текст збережено.
       *[other] Написані тексти ({ $ready }) збережено.
    }{ $sent ->
        [0] { "" }
       *[other] { " " }Те, що постачальник уже встиг написати, ще надійде.
    }
order-batch-resubmit = { $count ->
        [one] { $count } текст буде написано ще раз
        [few] { $count } тексти буде написано ще раз
       *[other] { $count } текстів буде написано ще раз
    }: { $subject } (`{ $id }`).
command-batch-generate = написати багато текстів одразу за пів ціни: `30 постів для Telegram`
command-batches = перелік пакетів або стан одного з них
command-batch-cancel = скасувати пакет; написане лишається
command-batch-results = тексти пакета
command-batch-resubmit = написати ще раз те, що не вдалося

batch-fault-empty = текст порожній
batch-fault-language = мова: { $is }, а потрібна { $wanted }
batch-fault-short = { $count } символів; в інших близько { $usual }
batch-fault-long = { $count } символів; в інших близько { $usual }
batch-fault-double = майже те саме, що текст { $of }
batch-fault-grade = оцінка { $grade } з 10; потрібно щонайменше { $least }
batch-fault-ungraded = модель не дала оцінки
batch-language-en = англійська
batch-language-uk = українська
batch-language-ru = російська
batch-language-de = німецька
batch-language-pl = польська
batch-language-fr = французька
batch-language-es = іспанська

batch-fact = { $subject }: пакет із { $count ->
        [one] { $count } тексту
       *[other] { $count } текстів
    }{ $channel ->
        [none] { "" }
       *[other] { " " }для { $channel }
    } написано { $day }. Перевірку пройшли { $passed } з { $ready }; коштувало { $cost }. Пакет { $id }, автор запиту: { $who }; тексти показує /batch_results { $id }.
batch-activity = готових текстів: { $ready }, перевірку пройшли { $passed }, { $cost } (пакет { $id })

error-batch-no-agent = У цьому чаті немає агента, який пише для вас пакети.
error-batch-no-count = Скільки текстів і яких? Наприклад: /batch_generate 30 постів для Telegram
error-batch-bad-count = «{ $said }» не схоже на кількість текстів. Наприклад: /batch_generate 30 постів для Telegram
error-batch-no-subject = Яких саме текстів ({ $count })? Наприклад: /batch_generate { $count } постів для Telegram
error-batch-long-subject = Для команди це задовго: щонайбільше { $most } символів. Запишіть теми у файл, по одній у рядку, і надішліть його разом із командою.
error-batch-bad-grade = «{ $said }» не оцінка: від 1 до 10, наприклад grade:7
error-batch-bad-number = «{ $said }» не номер тексту.
error-batch-no-channel = Правил для каналу «{ $said }» немає. Відомі канали: { $known }.
error-batch-no-skill = Навички «{ $said }» немає. Навички лежать у теці skills/; напишіть назву, наприклад skill:telegram-poster
error-batch-no-model = Моделі «{ $said }» тут немає. Оберіть одну з цих: { $known }.
error-batch-no-language = Перевіряти можна тексти цими мовами: { $known }. «{ $said }» серед них немає.
error-batch-no-money = Решти бюджету не вистачить навіть на один із цих текстів ({ $count }). Додати грошей може власник: /budget_override +20
error-batch-no-file = Серед файлів цього агента немає «{ $name }», який можна прочитати. Надішліть його разом із командою.
error-batch-file-kind = «{ $name }» не перелік тем: читаються { $kinds }.
error-batch-file-not-text = «{ $name }» не читається як текст. Збережіть його текстовим файлом у кодуванні UTF-8.
error-batch-file-missing = Файл «{ $name }» не вдалося отримати. { $said }
error-batch-no-topics = У «{ $name }» немає тем: пишіть по одній у рядку.
error-batch-none = У цьому чаті пакетів ще немає.
error-batch-none-open = У цьому чаті жоден пакет не виконується.
error-batch-several = Підходить кілька пакетів: { $batches }. Напишіть більше літер.
