# `nanoclaw batches` і слова, спільні з веб-сторінкою.

help-batches = Пакети: багато текстів за раз, за пів ціни.
help-batches-list = Пакети, найновіші спершу.
help-batches-show = Один пакет: як просувається, скільки коштує, його частини.
help-batches-run = Почати пакет і показувати, як він просувається, доки тексти не готові. Ctrl-C його не зупиняє.
help-batches-cancel = Скасувати пакет. Написане залишається.
help-batches-results = Його тексти й що знайшла перевірка.
help-batches-resubmit = Надіслати ще раз те, що не вдалося, або лише деякі тексти за номерами.
help-batches-approve = Схвалити тексти за номерами або всі, що пройшли перевірку.
help-batches-reject = Відхилити тексти за номерами.
help-batches-edit = Переписати текст власноруч. Він вважається схваленим.
help-batches-rewrite = Замовити текст ще раз.
help-batches-review = Переглянути тексти в чаті пакета, картка за карткою.
help-batches-schedule = Надсилати по тексту на день: схвалені, а якщо таких немає, то ті, що пройшли перевірку.
help-batches-unschedule = Відкликати розклад: тексти, які ще не надіслано, втрачають свій день.
help-batches-save = Записати тексти у файли групи агента.
help-batches-ref = Пакет: кінець його ідентифікатора, як показує `list`.
help-batches-subject = Що потрібно, в лапках: "дописи для Telegram". З --topics не обов'язково.
help-batches-count = Скільки текстів; з --topics стільки, скільки тем.
help-batches-topics = Файл тем: .txt (тема в кожному рядку), .csv (перша колонка) або .md (список).
help-batches-skill = Навичка, що пише; без неї та, що пасує до каналу.
help-batches-model = haiku, sonnet, opus або назва моделі.
help-batches-channel = Канал, чиїх правил дотримуються тексти, наприклад telegram.
help-batches-language = Мова текстів: en або uk.
help-batches-grade = Нехай мала модель оцінить кожен текст; з нижчою оцінкою (від 1 до 10) він не проходить.
help-batches-to = Чат, якому повідомляють і куди йдуть тексти; без нього ваш власний.
help-batches-schedule-to = Чат, до якого підуть тексти; без нього — чат пакета.
help-batches-detach = Не чекати, доки тексти будуть готові.
help-batches-status = Лише пакети в цьому стані.
help-batches-only = Лише деякі тексти.
help-batches-csv = Вивести CSV.
help-batches-json = Вивести JSON, по тексту в рядку.
help-batches-items = Номери текстів.
help-batches-item = Номер тексту.
help-batches-words = Текст, яким він має бути.
help-batches-note = Що має бути інакше.
help-batches-passed = Усі, що пройшли перевірку і про які ще ніхто не вирішив.
help-batches-first = Перший день, наприклад 2026-11-20; без нього завтра.
help-batches-at = Година кожного дня, наприклад 10:00; кілька разів для кількох текстів на день.
help-batches-weekdays = Не в суботу й неділю.

batches-empty = Пакетів немає. Почніть один: nanoclaw batches run "дописи для Telegram" --count 30
batches-standing = { $status } · написано { $ready }/{ $of }, пройшли перевірку: { $passed }{ $failed ->
        [0] { "" }
       *[other] , не вдалося: { $failed }
    }
batches-verdicts = схвалено: { $approved } · відхилено: { $rejected }
batches-spent = { $cost } (очікувалося: { $expected })
batches-started = розпочато: { $name }, { $time }
batches-part = частина { $number }: { $count ->
        [1] текст { $first }
       *[other] тексти з { $first } по { $last }
    }, { $state }, готово { $done }
batches-scheduled = 🗓 { $count ->
        [one] { $count } текст чекає свого дня
        [few] { $count } тексти чекають своїх днів
       *[many] { $count } текстів чекають своїх днів
    }: наступний { $next }, останній { $last }
batches-scheduled-already = Усі вони вже заплановані.
batches-send-at = 🗓 { $time }, задача { $task }
batches-estimate = { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[many] { $count } текстів
    }: приблизно { $cost } замість { $alone } поодинці
batches-estimate-free = { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[many] { $count } текстів
    }: це безкоштовно
batches-budget = У бюджеті залишилося { $left }: вистачить на { $fits } з { $count } текстів.
batches-begun = Пакет { $id } розпочато: { $count } × { $subject }
batches-goes-on = Пакет { $id } триває. Як він просувається: nanoclaw batches show { $id }
batches-now-what = Прочитати: nanoclaw batches results { $id }. Надсилати по одному на день: nanoclaw batches schedule { $id }. Зберегти у файли: nanoclaw batches save { $id }
batches-unscheduled = Тексти, які ще не надіслано, втратили свої дні. Їх можна запланувати знову.
batches-no-host = Жоден хост не працює: файли запишуться, а тексти надішлються, коли він запрацює. Запустіть: nanoclaw up
batches-no-texts = Таких текстів немає.
batches-approved = { $count ->
        [one] Схвалено { $count } текст.
        [few] Схвалено { $count } тексти.
       *[many] Схвалено { $count } текстів.
    }
batches-review-begun = Перший текст на картці в чаті { $chat }.
batches-saving = { $count ->
        [one] { $count } текст записується в
        [few] { $count } тексти записуються в
       *[many] { $count } текстів записуються в
    } { $folder }
batch-part-new = готується
batch-part-ready = ось-ось буде надіслана
batch-part-sending = надсилається
batch-part-unclear = можливо, надіслана: вирішує людина
batch-part-sent = у постачальника
batch-part-ended = завершена
batch-part-cancelled = скасована
batch-text-waiting = ▫️ чекає
batch-text-sent = ⏳ пишеться
batch-text-succeeded = ▪️ написаний
batch-text-approved = ✅ схвалений
batch-text-rejected = ❌ відхилений
batch-text-errored = ⚠️ не вдався
batch-text-expired = ⌛ прострочений
batch-text-canceled = ✖️ скасований
error-batches-no-count = Скільки текстів? Наприклад: nanoclaw batches run "постів для Telegram" --count 30, або з файлом тем: --topics topics.txt
error-batches-no-such = Пакета { $id } немає. Які є: nanoclaw batches list
error-batches-which = Які тексти? Напишіть номери: nanoclaw batches approve k3v9x 1 2 3. Усі, що пройшли перевірку: --passed
