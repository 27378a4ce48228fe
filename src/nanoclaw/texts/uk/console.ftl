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

# Скільки щось тривало або ще триватиме: 850 мс, 10,8 с, 12 хв, 2 год, 2 дні.
console-span-millisecond = { $count } мс
console-span-second = { $count } с
console-span-minute = { $count } хв
console-span-hour = { $count } год
console-span-day-one = { $count } день
console-span-day-few = { $count } дні
console-span-day-many = { $count } днів
console-span-day-other = { $count } дня

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

console-state-held = чекає на рішення
console-state-kept = збережено для агента: його не кликали
console-state-dropped = не допущено

# Панель «Люди й чати»: хто може говорити і з ким.
console-door = Люди й чати
console-door-loading = Шукаю…
console-door-filter = Знайти за ім’ям
console-door-who = Хто
console-door-where = Чат
console-door-requests = Запити
console-door-people = Люди
console-door-chats = Чати
console-door-groups = Групи агентів
console-door-drops = Не допущено
console-door-audit = Зміни
console-door-explain = Що було б?

console-requests-none = Ніхто не чекає на рішення.
console-requests-waiting = Чекають на рішення: { $count }
console-request-sender = { $name } хоче говорити з { $group }, чат: { $place }
console-request-chat = { $name } пише в чаті { $place }, де ще немає агента
console-request-sender-alone = { $name } хоче говорити з { $group }
console-request-chat-alone = { $name } пише ботові наодинці; у цьому чаті ще немає агента
console-request-choices = Що вирішити про { $name }

console-people-role = Усюди
console-people-memberships = Ролі в окремих групах агентів
console-people-role-in = Роль у { $group }
console-people-leave = Забрати роль у { $group }
console-people-join = Додати до групи
console-people-join-which = Виберіть…
console-people-block = Заблокувати
console-people-block-title = Заблокувати { $name }?
console-people-block-sentence = Жоден агент більше не почує цю людину в жодному чаті, а її повідомлення, що чекають на рішення, буде відкинуто. Розблокувати можна тут згодом.
console-people-unblock = Розблокувати
console-people-blocked = заблоковано
console-people-local-owner = Має цю машину, тож і є власником: ні забрати роль, ні заблокувати не можна.
console-role-owner = Власник
console-role-admin = Адмін
console-role-member = Учасник
console-role-none = Без ролі

console-kind-private = приватний
console-kind-group = група
console-kind-threaded = група з гілками
console-chats-strangers = Коли пише хтось невідомий
console-strangers-ask = Питають власника чи адміна
console-strangers-strict = Повідомлення відкидають
console-strangers-public = Може говорити: чат відкритий
console-chats-unwired = У цьому чаті немає агента.
console-chats-wire = Додати групу агента
console-chats-wire-which = Виберіть…
console-chats-unwire = Прибрати
console-wiring-engage = Бере повідомлення
console-engage-always = Завжди
console-engage-mention = Коли його кличуть
console-engage-mention-sticky = Коли кличуть, далі вся гілка
console-engage-pattern = Коли слова за шаблоном
console-wiring-pattern = Шаблон (RE2)
console-wiring-senders = Від кого
console-senders-all = Від усіх допущених
console-senders-known = Від учасників групи
console-wiring-ignored = Решту повідомлень
console-ignored-drop = Відкидає
console-ignored-accumulate = Зберігає і читає згодом
console-wiring-priority = Черга
console-wiring-priority-hint = Першим починає агент із найменшим числом.
console-wiring-priority-range = Не збережено: черга — ціле число від { $least } до { $most }.

console-groups-name = Назва
console-groups-company = Компанія
console-groups-chats = Чати
console-groups-main = головна група
console-groups-unreadable = її group.toml неможливо прочитати
console-groups-new = Нова група агента
console-groups-company-new = Нова компанія…
console-groups-company-name = Назва компанії
console-groups-make = Створити
console-groups-made = Групу агента { $group } створено. Під’єднайте до неї чат на вкладці «Чати».

console-drops-none = Нікого не відхилено.
console-drops-said = Повідомлення
console-drops-reason = Чому
console-drops-wordless = (без слів)
console-audit-none = Ще нічого не змінювали.
console-audit-via = Звідки
console-audit-what = Що
console-via-page = сторінка
console-via-terminal = термінал
console-via-command-line = командний рядок
console-via-telegram = Telegram

console-explain-hint = Нічого не надсилається і не змінюється: тут лише видно, що вирішили б про повідомлення.
console-explain-chat = Чат
console-explain-chat-new = Новий приватний чат
console-explain-group-new = Нова група
console-explain-person = Від кого
console-explain-person-new = Хтось новий
console-explain-text = Повідомлення
console-explain-addressed = Кличе бота або відповідає йому
console-explain-ask = Пояснити
console-outcome-wakes = будить
console-outcome-kept = збережено
console-outcome-asked = питають
console-outcome-ignored = пропущено

# Панель «Вхідні»: запитання до людей, що з них вийшло, і дозволи.
console-inbox = Вхідні
console-inbox-questions = Запитання
console-inbox-decisions = Рішення
console-inbox-permits = Дозволи

console-questions-none = На вас нічого не чекає. Тут з’являються запитання агентів і програм.
console-questions-waiting = Запитань, що чекають: { $count }
console-question-approval = Погодження
console-question-choice = Вибір
console-question-input = Ваша відповідь
console-question-review = Перегляд
console-question-escalation = Порада
console-question-interactive-session = Сесія з вами
console-risk-publish = щось опублікує
console-risk-destructive = щось знищить
console-question-tool = Саме такі аргументи
console-question-context = Контекст
console-question-words = Ваші слова
console-question-comment = Ваші слова, разом із вибором або самі
console-question-answer = Відповісти
console-question-wordless = Спершу напишіть відповідь.
console-question-options = Що можна обрати
console-question-votes = Мають погодитися: { $needed }. Поки що: { $given }
console-question-votes-none = ще ніхто
console-question-not-yours = Це вирішують інші.
console-question-deadline = Залишилося { $left }, потім: { $text }
console-question-deadline-nothing = Залишилося { $left }, потім нічого не буде вирішено
console-question-deadline-now = Час вийшов
console-question-ended = «{ $text }» – { $outcome }
console-question-unsent = Те, що ви писали, не надіслано: { $text }
console-outcome-decided = рішення: { $text } ({ $name })
console-outcome-default = ніхто не відповів вчасно; за замовчуванням: { $text }
console-ended-completed = вирішено
console-ended-timeout = ніхто не відповів вчасно, нічого не вирішено
console-ended-cancelled = відкликано, нічого не вирішено
console-ended-failed = нічого не вийшло
console-take-back = Відкликати
console-take-back-not = Залишити
console-take-back-title = Відкликати це запитання?
console-take-back-sentence = Ніхто вже не зможе його вирішити. Хто запитав, дізнається, що нічого не вирішено.

console-decisions-none = Ще нічого не вирішено.
console-decisions-history = Історія
console-decisions-question = Запитання
console-decisions-chosen = Рішення
console-decisions-fast = Через
console-decisions-status = Підсумок
console-status-completed = вирішено
console-status-timeout = час вийшов
console-status-cancelled = відкликано
console-status-failed = не вийшло
console-decision-nobody = ніхто
console-decision-again = Запитати ще раз
console-decision-asked-again = запитано ще раз: { $text }
console-decision-payload = Про що саме вирішували
console-decision-hash = SHA-256
console-decision-id = Запитання

console-figures = Чим скінчилися запитання
console-figures-days = За останні
console-figures-days-7 = 7 днів
console-figures-days-30 = 30 днів
console-figures-days-90 = 90 днів
console-figures-days-365 = 365 днів
console-figures-none = За цей час не завершилося жодне запитання.
console-figures-summary = Завершено: { $count }. До рішення людини: у середньому { $mean }, медіана { $median }. Час вийшов: { $rate }.
console-figures-times-by-kind = Час до рішення, за видом
console-figures-times-by-skill = Час до рішення, за навичкою
console-figures-rates-by-kind = Час вийшов, за видом
console-figures-rates-by-skill = Час вийшов, за навичкою
console-figures-no-skill = без навички
console-figures-all = Усі
console-figures-table = Те саме таблицею
console-figures-name = Вид або навичка
console-figures-asked = Завершено
console-figures-answered = Вирішено
console-figures-timed-out = Час вийшов
console-figures-mean = середнє
console-figures-median = медіана
console-figures-rate = час вийшов

console-permits-none = Дозволів немає: агенти питають щоразу, коли інструмент підпадає під правило.
console-permits-hint = Правила ([[approvals]] у nanoclaw.toml і ті, що в навичках) визначають, для яких інструментів спершу потрібна людина. Хто обирає на такій картці «Для цієї сесії» чи «Завжди», дає дозвіл: тоді агент більше не питає, доки дозвіл не скінчиться або доки ви його тут не скасуєте.
console-permit-once = один раз
console-permit-session = для однієї сесії
console-permit-always = завжди
console-permit-granted = дозвіл від { $name }
console-permit-until = · до { $until }
console-permit-revoke = Скасувати
console-permit-revoked = Дозвіл на { $text } скасовано: агент знову питатиме.

# Каже API.
error-no-such-document = До цього запитання немає документа, або його вже не зберігають.
console-questions-more = Показати більше
