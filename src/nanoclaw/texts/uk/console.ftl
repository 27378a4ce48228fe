# Що каже вебконсоль. Ці тексти беруть і скрипти сторінки, тож: прості змінні, без вибору форм.

console-product = NanoClaw OS
console-nav = Сторінки
console-nav-chat = Чат
console-skip = Перейти до поля повідомлення
console-close = Закрити
console-cancel = Скасувати
console-save = Зберегти
console-try-again = Спробувати ще раз

console-theme-auto = Кольори: як на цьому пристрої
console-theme-light = Кольори: світлі
console-theme-dark = Кольори: темні

console-locked-title = Консоль замкнено
console-locked-sentence = Виконайте цю команду на комп’ютері, де працює NanoClaw OS, і відкрийте посилання, яке вона покаже.
console-locked-command = { $command } status

console-rooms = Кімнати
console-rooms-open = Показати кімнати
console-room-new = Нова кімната
console-room-rename = Перейменувати кімнату
console-room-name = Назва
console-unread = є нові повідомлення

console-conversation = Розмова
console-conversation-start = Тут починається розмова
console-loading-older = Завантажую давніші повідомлення…
console-loading-older-failed = Не вдалося завантажити давніші повідомлення. Прокрутіть угору, щоб спробувати ще раз.
console-new-messages = Нові повідомлення
console-to-end = До найновішого повідомлення
console-table = Таблиця
console-agent = Агент
console-announce = { $name }: { $text }

console-welcome-title = З чого почнемо?
console-welcome-sentence = Напишіть будь-що нижче або виберіть підказку.
console-suggestion-1 = Що ви вмієте?
console-suggestion-2 = Скільки коштує офісний план?
console-suggestion-3 = /demo
console-suggestion-4 = /help

console-composer-label = Напишіть повідомлення
console-composer-hint = Enter — надіслати · Shift + Enter — новий рядок
console-send = Надіслати

console-state-sending = надсилаю…
console-state-waiting = чекає
console-state-waiting-place = чекає, у черзі під номером { $place }
console-state-running = у роботі…
console-state-streaming = пише…
console-state-refused = відхилено
console-state-failed = не вдалося
console-state-silent = залишено без відповіді
console-state-stopped = зупинено
console-state-pending = ще не доставлено
console-retry = Повторити
console-copy = Копіювати
console-copied = Скопійовано

console-why = Чому?
console-why-title = Що сталося
console-why-loading = Шукаю…

console-reconnecting = Відновлюю зв’язок…
console-error-network = Зараз немає зв’язку з NanoClaw OS.
console-error-server = На сервері щось пішло не так.
console-error-sending = Не надіслано. { $error }

console-stop = Зупинити
console-stop-title = Зупинити те, що робить агент (Esc)
console-activity = Що робить агент
console-tool-running = виконується
console-tool-done = готово
console-tool-failed = не вдалося
console-tool-cut = перервано
console-tool-output = Що виведено
console-tools-one = { $count } інструмент
console-tools-few = { $count } інструменти
console-tools-many = { $count } інструментів
console-tools-other = { $count } інструмента
console-spent = { $input } на вході, { $output } на виході, { $money }
console-tools-and-spent = { $tools }, { $money }

console-connections = З’єднання
console-connections-title = З’єднання назовні
console-connections-loading = Шукаю…
console-connections-none = Ніщо в пісочниці ще не просило з’єднання. Група отримує мережу, коли її group.toml називає хости: network = ["api.example.com"].
console-connections-more = Показати давніші
console-connections-time = Час
console-connections-group = Група
console-connections-host = Хост
console-connections-verdict = Рішення
console-connections-bytes = Обсяг
console-connections-duration = Тривалість
console-verdict-allowed = дозволено
console-verdict-not-listed = немає у списку
console-verdict-private = власна мережа
console-verdict-unresolved = невідоме ім’я
console-verdict-failed = не вдалося
console-costs = Звернення до моделей: сьогодні { $today }, цього місяця { $month }.

# Каже API.
error-no-such-file = У цій кімнаті немає такого файла, або його вже не зберігають.

# Для texts/uk/console.ftl: панель «Telegram» на сторінці.
console-bots = Telegram
console-bots-list = Приєднані боти
console-bots-loading = Шукаю ботів…
console-bots-none = Ще жодного бота не приєднано.
console-bots-works = Працює
console-bots-connect-title = Приєднати бота
console-bots-token-hint = Напишіть /newbot до @BotFather у Telegram, виберіть ім’я і вставте сюди токен, який він дасть.
console-bots-botfather = Відкрити @BotFather
console-bots-token = Токен бота
console-bots-token-missing = Спершу вставте токен; його дає @BotFather після /newbot.
console-bots-connect = Приєднати
console-bots-connecting = Приєднується…
console-bots-connected = { $bot } приєднано.
console-bots-pair = Новий код спарування
console-bots-pairing = Стати власником
console-bots-pairing-sentence = Надішліть це до { $bot }. Хто надішле першим, той відтоді власник.
console-bots-pairing-until = Діє до { $until }, ще { $left }.
console-bots-pairing-over = Код уже застарів. Візьміть новий.
console-bots-open = Відкрити в Telegram
console-bots-scan = Або наведіть камеру телефона:
console-bots-qr = QR-код посилання, яке відкриває { $bot } з цим кодом
console-bots-disconnect = Від’єднати
console-bots-disconnect-title = Від’єднати { $bot }?
console-bots-disconnect-sentence = Бот замовкне, а його токен тут буде забуто. Щоб приєднати його знову, потрібен токен. Сказане залишиться.
console-bots-disconnected = { $bot } від’єднано.
