# Що каже командний рядок, і кожна помилка як речення, що підказує, як діяти.

room-first = Загальна
room-terminal = Термінал

workspace-closed = Інші користувачі цієї машини мали доступ до { $path }; тепер його маєте лише ви. Якщо машиною користуєтеся не тільки ви, перевірте, чи немає там чужого.
up-made = Створено робочий простір: { $home }
up-makes-room = Інша команда nanoclaw ненадовго зайняла цей робочий простір; чекаємо, поки завершить.
up-skills = Нове в цій версії, додано до skills/: { $skills }
up-ready = NanoClaw OS працює. Вебсторінка: { $link }
up-stop-hint = Ctrl-C зупиняє.
up-chat-hint = Напишіть повідомлення. /help покаже команди, Tab доповнює їх. Номер, як-от /1, натискає кнопку. Esc зупиняє відповідь, Ctrl-D або Ctrl-C зупиняє хост.
up-stopping = Зупиняюся ...
up-stopped = Зупинено. Незавершене продовжиться після наступного запуску.
chat-hint = Напишіть повідомлення. /help покаже команди, Tab доповнює їх. Номер, як-от /1, натискає кнопку. Esc зупиняє відповідь, Ctrl-D — вихід.
chat-waits-agent = працює · { $time } · Esc зупиняє
chat-waits-person = чекає на вас · { $time }
chat-quit = Вийти з чату.
chat-decide = { $label }: { $command } decide { $id } { $option }
chat-lost = Хост не відповідає; пробую знову ...
chat-kept = Не надіслано, тому текст повернуто у рядок: { $error }
chat-timeout = Відповіді немає вже { $span }. Повідомлення збережено: { $command } why { $id }
install-extra = Встановлюю пакети для { $extra } ...
install-failed = Не вдалося встановити пакети для { $extra }. Спробуйте: { $command }

status-running = працює на { $url } (pid { $pid })
status-stopped = не працює; запустіть: { $command } up
status-link = Вебсторінка
status-workspace = Робочий простір
status-database = База даних
status-host = Хост
status-waiting = Повідомлень чекає
status-turns = Ходів виконується
status-undelivered = Відповідей у дорозі
status-failed = Не доставлено

why-head = { $id }  «{ $said }»  { $sentence }
failed-none = Невдач немає.
failed-drafts-none = Про відповіді, що лишили в чаті незавершену копію, нічого не відомо.
failed-drafts-count = { $count ->
    [one] Перші слова { $count } відповіді можуть стояти в чаті двічі
    [few] Перші слова { $count } відповідей можуть стояти в чаті двічі
   *[many] Перші слова { $count } відповідей можуть стояти в чаті двічі
}: { $command } failed drafts
failed-retried = Буде надіслано знову: { $count }{ $running ->
        [yes] {" "}(за кілька секунд).
       *[no] {" "}(коли хост буде запущено).
    }
failed-dropped = Відкинуто: { $count }.
failed-column-id = Номер
failed-column-chat = Чат
failed-column-state = Стан
failed-column-error = Причина
failed-column-text = Текст
init-made = Створено робочий простір { $home }. Запустіть: { $command } up
init-exists = { $home } уже є робочим простором; нічого не змінено.

doctor-python = Python { $version }
doctor-sqlite = SQLite { $version }
doctor-git = git встановлено
doctor-git-missing = git відсутній, тому робочий простір не має історії. Виконайте: apt-get install git
doctor-workspace = Робочий простір { $home } доступний для запису
doctor-workspace-missing = Робочого простору в { $home } ще немає. Виконайте: { $command } up
doctor-settings = nanoclaw.toml у порядку
doctor-database = База даних ціла ({ $url })
doctor-database-new = Базу даних буде створено під час першого запуску
doctor-skills = Навичок у порядку: { $count }
doctor-company-missing = Компанія «{ $company }» групи { $group } не має контексту: створіть companies/{ $company }/context/ або змініть groups/{ $group }/group.toml
doctor-runtime-missing = Середовище «{ $runtime }» групи { $group } тут недоступне, тож її повідомлення не виконуються. Вкажіть runtime = "demo" у groups/{ $group }/group.toml
doctor-skill-missing = Навички «{ $skill }» групи { $group } немає: її агент працює без вказівок. Змініть її в groups/{ $group }/group.toml
doctor-groups = Груп агентів у порядку: { $count }
doctor-host = Хост працює на { $url }
doctor-host-stopped = Хост не працює. Виконайте: { $command } up
doctor-disk = Вільно { $free } ГБ на диску
doctor-disk-low = Вільно лише { $free } ГБ на диску. Звільніть місце, поки воно не скінчилося.
doctor-failed = { $count ->
        [0] Кожну відповідь доставлено або вона в дорозі
       *[other] Не вдалося доставити відповідей: { $count }. Виконайте: { $command } failed list
    }
doctor-well = Усе в порядку.
doctor-ill = Потребує уваги: { $count }.

help-frame-usage = Використання:
help-frame-arguments = Аргументи
help-frame-options = Параметри
help-frame-commands = Команди
help-frame-error = Помилка
help-frame-required = обов'язково
help-frame-default = типово:
help-frame-help = Показати цю довідку й вийти.
help-frame-try = Довідка: [blue]{ $command }[/]
help-app = NanoClaw OS: власний хост для агентів ШІ.
help-up = Запустити все й відкрити чат. Якщо робочого простору немає, він буде створений.
help-chat = Поговорити з агентом запущеного хоста.
help-init = Створити робочий простір, нічого не запускаючи.
help-status = Показати, чи працює хост, де і що він робить.
help-why = Показати, що сталося з повідомленням, коли й чому.
help-doctor = Перевірити, чого бракує, і підказати команду, яка це виправить.
help-failed = Відповіді, які не вдалося доставити.
help-failed-list = Показати їх.
help-failed-drafts = Показати відповіді, перші слова яких могли з'явитися в чаті двічі.
help-failed-retry = Надіслати знову: номери або --all.
help-failed-drop = Відкинути: номери або --all.
help-no-chat = Працювати як служба: без чату, журнал іде в stderr.
help-message = Надіслати це, вивести відповідь і вийти.
help-room = Назва кімнати для розмови; типово — кімната термінала.
help-timeout = Скільки секунд чекати на відповідь.
help-json = Вивести JSON.
help-id = Номер повідомлення, ходу або відповіді, досить перших літер; типово — останнє повідомлення.
help-ids = Номери з `{ $command } failed list`.
help-all = Усі.
help-version = Показати версію й вийти.

error-bad-request = Запит неможливо прочитати: { $where }: { $said }
bad-request-empty = порожнє
bad-request-long = довше за { $most } символів
bad-request-missing = не вказано
bad-request-unknown = невідоме
error-no-such-room = Такої кімнати немає.
error-no-such-ref = Тут немає нічого з назвою «{ $ref }».
error-ref-empty = Уточніть, що саме: ви нічого не вказали.
error-no-such-room-titled = Кімнати «{ $title }» немає. Є: { $known }.
error-no-such-message = Повідомлення з таким номером немає.
error-nothing-to-retry = Невдалого повідомлення з таким номером немає.
error-room-untitled = Кімнаті потрібна назва.
error-too-big = За раз можна надіслати щонайбільше { $megabytes } МБ.
error-wrong-host = Цей хост відповідає лише цій машині.
error-locked = Ключ доступу відсутній або хибний. Команда `{ $command } status` друкує посилання.
error-wrong-origin = Це може робити лише ця сторінка.
error-lease-lost = Цю роботу перебрав інший хост.
error-disk-full = Диск заповнено, тому нічого не вдалося зберегти. Звільніть місце й спробуйте знову; збережене не втрачено.
error-store-read-only = База даних лише для читання, тому нічого не вдалося зберегти. Дайте цьому користувачеві право запису.
error-store-silent = База даних не відповідає: { $said }
error-missing-extra = Налаштування потребує пакетів, яких не встановлено: додаток «{ $extra }». Їх встановлює: { $command } up
error-schema-newer = Базу даних створено новішою версією NanoClaw OS. Оновіть цю й запустіть знову.
error-no-workspace = У { $home } немає робочого простору. Створіть його: { $command } up
error-group-missing = Групи агентів { $group } немає: бракує файлу { $file }.
error-no-groups = У { $folder } немає жодної групи агентів. Створіть { $folder }/main/group.toml з одним рядком: company = "demo"
error-group-broken = { $file }: це не TOML: { $said }
error-group-key = { $file }: { $said ->
        [missing] немає ключа "{ $key }"
       *[other] невідомий ключ "{ $key }"
    }. Відомі ключі: { $known }.
error-skill-unreadable = { $file }, рядок { $line }: файл неможливо прочитати: { $said }
error-skill-unopened = { $file }, рядок { $line }: навичка починається рядком із трьох дефісів та заголовком.
error-skill-unclosed = { $file }, рядок { $line }: заголовок не закрито трьома дефісами.
error-skill-not-yaml = { $file }, рядок { $line }: це не YAML ({ $said }).
error-skill-no-keys = { $file }, рядок { $line }: заголовок складається з рядків «ключ: значення».
error-skill-unknown-key = { $file }, рядок { $line }: невідомий ключ «{ $key }». Відомі ключі: { $known }.
error-rule-tool-unknown = nanoclaw.toml: правило в [[approvals]] називає «{ $tool }», а такого інструмента немає, тож воно нічого не стереже. Є такі: { $known }. Інструменти серверів MCP звуться server_tool.
error-skill-rule-unknown = { $file }, рядок { $line }: правило в `approvals` називає «{ $tool }», а такого інструмента немає, тож воно нічого не стереже. Є такі: { $known }. Інструменти серверів MCP звуться server_tool.
error-skill-tool-unknown = { $file }, рядок { $line }: інструмента "{ $tool }" немає, тож агент його не отримає. Інструменти хоста: { $known }. Руки (bash, файли) і сервери MCP тут не називають.
error-left-out-unknown = { $file }, рядок { $line }: without_tools називає "{ $tool }", а такого інструмента немає. Інструменти хоста: { $known }. Руки (bash, файли) і сервери MCP тут не називають.
error-skill-context-unknown = { $file }, рядок { $line }: "{ $pattern }" не відповідає жодному файлу контексту, тож агент за ним нічого не отримає. Є: { $known }.
error-skill-command-of-host = { $file }, рядок { $line }: { $command } — команда хоста, до навички вона не доходить. Дайте навичці іншу.
error-skill-command-twice = { $file }, рядок { $line }: { $command } уже має { $other }, і завжди спрацьовує вона. Дайте одній із двох іншу команду.
error-group-main-twice = { $file }, рядок { $line }: головною групою вже є { $main }, тож { $group } нею не буде. Приберіть "main = true" в одній із двох.
error-topic-skill = { $file }, рядок { $line }: тема { $topic } називає навичку "{ $skill }", а такої немає. Є: { $known }.
error-topic-domain = { $file }, рядок { $line }: тема { $topic } називає домен "{ $domain }", а в ньому немає жодної навички. Домени: { $known }.
error-topic-other-domain = { $file }, рядок { $line }: навичка { $skill } теми { $topic } належить до домену { $of }, а не { $domain }.
error-skill-twice = { $file }, рядок { $line }: навичка з назвою "{ $name }" уже є: { $other }. Дайте одній із них іншу назву.
error-skill-bad-value = { $file }, рядок { $line }: { $key }: { $said }.
error-settings-broken = { $file } — це не TOML: { $said }
error-settings-unreadable = { $file } неможливо прочитати: { $said }
error-settings-unknown-variable = Змінна середовища { $name } невідома. Відомі: { $known }.
error-settings-key-meant = { $place }: невідомий ключ «{ $key }». Може, { $meant }?
error-settings-unknown-key = { $place }: невідомий ключ «{ $key }». Відомі: { $known }.
error-settings-bad-value = { $place }: { $key } = { $value }: { $fault ->
        [choice] можливі значення: { $said }
        [least] має бути щонайменше { $said }
        [above] має бути більше за { $said }
        [most] має бути щонайбільше { $said }
        [below] має бути менше за { $said }
        [beginning] має починатися з { $said }
        [short] найменша довжина в символах: { $said }
        [long] найбільша довжина в символах: { $said }
        [number] має бути число
        [yes-or-no] має бути true або false
        [text] має бути текст у лапках
        [list] має бути список
        [section] має бути окремий розділ із ключами та значеннями
        [missing] бракує значення
       *[other] { $said }
    }.
error-workspace-unwritable = Робочий простір { $folder } недоступний для запису ({ $said }). Дайте цьому користувачеві право запису або оберіть іншу теку через NANOCLAW_HOME.
error-workspace-link = { $path } — символічне посилання, а хост не йде за посиланнями до того, чому довіряє. Покладіть на його місце справжній файл або теку чи вкажіть, де вони лежать: NANOCLAW_HOME={ $target } для робочого простору, `backup.folder` і `database.url` у nanoclaw.toml для резервних копій і бази даних.
error-workspace-foreign = { $path } належить користувачеві { $owner }, а команду запустив { $me }: власник міг би змінити робочий простір. Запустіть команду як { $owner } або передайте теку: chown -R { $me } { $path }
error-workspace-above-foreign = { $path } належить користувачеві { $owner }, а команду запустив { $me }: власник міг би підкласти інший робочий простір замість вашого. Запустіть команду як { $owner } або оберіть власне місце через NANOCLAW_HOME.
error-workspace-open = Інші користувачі цієї машини мають доступ до { $path }, і змінити це не вдалося ({ $said }). Виконайте: chmod go= { $path }
error-workspace-above-open = Інші користувачі цієї машини можуть змінювати { $path }, а отже, й підкласти інший робочий простір замість { $home }. Виконайте: chmod go-w { $path } — або оберіть інше місце через NANOCLAW_HOME.
error-workspace-is-clone = У { $folder } лежить сама програма. Оберіть для робочого простору іншу теку через NANOCLAW_HOME.
error-database-url = Адресу бази даних неможливо прочитати: { $said }
error-schema-other = База даних має іншу версію, ніж ця програма. Запустіть її один раз: { $command } up
error-port-refused = Порт { $port } не можна використати ({ $said }). Оберіть інший: NANOCLAW_WEB_PORT=8643 { $command } up
error-already-starting = NanoClaw OS саме запускається або зупиняється в цьому робочому просторі. Спробуйте за мить.
error-already-running = NanoClaw OS уже працює в цьому робочому просторі: { $url } (pid { $pid }). Розмовляйте з ним: { $command } chat
error-not-running = У { $home } хост не працює. Запустіть: { $command } up
error-port-taken = Порт { $port } зайнято іншою програмою. Оберіть інший: NANOCLAW_WEB_PORT=8643 { $command } up
error-host-unreachable = Хост не відповідає за адресою { $url } ({ $said }).
error-said = { $said }
error-failed-unknown = Невдалого повідомлення { $id } немає. Дивіться: { $command } failed list
error-failed-none-named = Назвіть повідомлення або додайте --all. Дивіться: { $command } failed list

key-ask = Ключ { $vendor } (він не показується):{" "}
key-kept = Ключ { $vendor } збережено у { $file }; прочитати його можете лише ви. Він діятиме з наступного запуску.
key-dropped = Ключа { $vendor } більше немає.
key-none = Жодного ключа не збережено. Додайте його командою: { $command } key set
error-key-odd = Це не ключ { $vendor }: ключ — це одне слово щонайменше з 8 літер і цифр. Нічого не змінено.
error-key-missing = Ключа { $vendor } не збережено. Збережені: { $known }.
error-keys-broken = Не вдається прочитати { $file } ({ $said }). Вилучіть файл і додайте ключі знову: { $command } key set
error-mounts-broken = Не вдається прочитати { $file }: { $said }
error-mount-not-allowed = Група хоче бачити { $path }, а це не дозволено. Дозвольте у { $file }: таблиця [[mount]] із path = "{ $path }".
error-mount-not-writable = Група хоче писати у { $path }, а дозволено лише читати. Дозвольте у { $file } через write = true або приберіть write = true з mounts групи.
error-mount-missing = Група хоче бачити { $path }, але такої теки немає.
error-mount-twice = Група хоче бачити дві теки як { $target }; друга — { $path }. Підключіть натомість теку над ними.

sandbox-holds = Усі шляхи з пісочниці закриті ({ $driver }).
sandbox-leaks = { $count ->
        [one] Відкрито { $count } шлях назовні
        [few] Відкрито { $count } шляхи назовні
       *[many] Відкрито { $count } шляхів назовні
    } ({ $driver }): у такій пісочниці агенти не запускаються.
sandbox-shell = Оболонка в пісочниці групи { $group }: її файли в /work. Вийти: `exit`.
doctor-sandbox = Пісочниці агентів надійні ({ $driver }; обмеження: { $limits })
doctor-sandbox-process = Агенти працюють БЕЗ пісочниці (boxes.driver = "process"): вони можуть усе, що може цей хост
doctor-folders-deep = { $folder }: пісочниця вклала теки глибше ніж на { $most } рівні. Інші пісочниці їх не отримають, а в резервні копії вони не потрапляють. Видаліть їх: { $path }...
doctor-folders-many = { $folder }: пісочниці лишили там понад { $most } файлів; решту не переглянуто. Видаліть зайве.
doctor-folders-unsafe = { $folder }: файли, що виконувалися б із правами власника, або пристрої: { $files }. Наступна пісочниця цієї групи забере ці права.
doctor-folders-closed = { $folder }: теки, яких власник не може відкрити: { $files }. Наступний запуск їх відкриє.
doctor-model = { $model } відповіла на коротке запитання; це коштувало { $money }
doctor-model-demo = Агент демонстраційний: ключа немає. Додайте його: { $command } key set
help-key = API-ключі постачальників моделей.
help-key-set = Зберегти ключ у файлі, який можете прочитати лише ви.
help-key-list = Показати, чиї ключі збережено.
help-key-drop = Видалити збережений ключ.
help-vendor = Постачальник: anthropic, openai, google ...
help-sandbox = Пісочниці, у яких виконуються команди агентів.
help-sandbox-test = Спробувати зсередини пісочниці кожен шлях назовні.
help-sandbox-shell = Відкрити командну оболонку в пісочниці групи.
help-group = Група агентів.
help-connections = З'єднання, про які просили агенти, і що з ними сталося.

# Ізольоване середовище, у якому працюють руки агента

error-box-unmade = Не вдалося створити ізольоване середовище: { $said }. Запустіть `nanoclaw doctor`.
error-box-mount-missing = Середовище не може показати { $target }, бо { $source } не існує. Створіть його або приберіть це монтування з налаштувань групи.
error-box-folders = Теку { $folder } середовища не можна використати: { $said }. Виправте її права і спробуйте ще раз.
error-box-users-unreadable = Файл { $file }, де записано, який ідентифікатор користувача мають середовища кожної компанії, не можна використати: { $said }. Виправте його або відновіть з копії; не видаляйте його.
error-box-leaks = Середовище не тримає, тому жодного агента не запущено. Відкриті такі виходи: { $probes }. Запустіть `nanoclaw doctor` або виберіть у налаштуваннях інше середовище.
error-box-silent = Середовище не відповіло на перевірку стін, тому жодного агента не запущено. Воно сказало: { $said }. Запустіть `nanoclaw doctor`.
error-box-no-stage = Жодну з цих тек не можна використати, щоб підготувати середовище: { $folders }. Створіть одну з них порожньою і спробуйте ще раз.
error-session-busy = Середовище сесії { $session } ще живе. Зачекайте, доки воно завершиться, і спробуйте ще раз.

error-sandbox-unknown = Середовища «{ $name }» немає. Виберіть одне з: { $names }.
error-sandbox-tool-missing = Бракує програми { $tool }. Встановіть її: `apt install util-linux`.
error-sandbox-processor = Для процесора { $processor } немає фільтра системних викликів, тож безпечного середовища тут не створити. Візьміть машину з x86_64 або aarch64.
error-bubblewrap-missing = Бракує програми bwrap. Встановіть її: `apt install bubblewrap`.
error-bubblewrap-powerless = bubblewrap не має права створювати тут середовища: { $said }. Дозвольте простори імен користувачів (`sysctl kernel.unprivileged_userns_clone=1`, `sysctl user.max_user_namespaces=10000`) або виберіть у налаштуваннях `podman`.
error-bubblewrap-apparmor = AppArmor не дає bubblewrap створювати середовища, як це робить Ubuntu від 24.04: { $said }. Дозвольте: `apt install apparmor-profiles && ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && systemctl reload apparmor` або виберіть у налаштуваннях `podman`.
error-podman-missing = Бракує програми podman. Встановіть її: `apt install podman`.
error-docker-missing = Бракує програми docker. Встановіть Docker вашої системи або оберіть `podman`: `apt install podman`.
error-engine-silent = { $engine } тут не працює: { $said }. Запустіть його службу або виберіть у налаштуваннях інше середовище.

sandbox-process-warning = Середовище — `process`: агенти працюють БЕЗ ізоляції. Вони можуть читати і змінювати кожен файл, доступний цьому хосту, і виходити в мережу. Користуйтеся цим лише для спроб.

probe-files = Файлів хоста й тек інших груп не видно
probe-writes = Те, що лише для читання, не можна записати
probe-core-pattern = Перемикачі ядра не можна перемкнути
probe-network = Жоден шлях не веде в мережу
probe-interfaces = Мережевої карти немає
probe-loopback = До власних портів хоста не дістатися
probe-abstract-sockets = До сокетів без файлу не дістатися
probe-odd-sockets = Рідкісних видів сокетів не створити
probe-processes = Процесів хоста не видно
probe-environment = Нічого зі змінних середовища хоста всередині немає, ключів теж
probe-privileges = Привілеїв немає, і здобути їх не можна
probe-root = Агент не є root під жодним іменем
probe-mount = Нічого не можна змонтувати
probe-namespaces = Просторів імен не створити
probe-ptrace = Жоден процес не можна відстежувати
probe-devices = Пристроїв не створити
probe-set-ids = Файлу, що запускається від імені іншого чи з привілеями, не створити
probe-handles = Жодного файлу не відкрити за його номером
probe-kernel = Ризиковані частини ядра закриті
probe-typing = У ваш термінал нічого не можна надрукувати


# Сервери MCP (nanoclaw mcp ...)

help-mcp = Сервери MCP, інструментами яких можуть користуватися агенти.
help-mcp-add = Додати сервер: адресу або, після --, команду, яка працюватиме у власній пісочниці.
help-mcp-remove = Видалити сервер.
help-mcp-list = Показати сервери.
help-mcp-test = З'єднатися із сервером і показати його інструменти.
help-mcp-name = Назва сервера: малі латинські літери, цифри та -.
help-mcp-command = Команда локального сервера, після --.
help-mcp-url = Адреса віддаленого сервера (streamable HTTP).
help-mcp-header = Заголовок для віддаленого сервера: НАЗВА=значення або сама НАЗВА, тоді значення запитають, не показуючи на екрані.
help-mcp-env = Змінна середовища для локального сервера: НАЗВА=значення або сама НАЗВА, тоді значення запитають, не показуючи на екрані.
help-mcp-network = Хост, до якого може звертатися локальний сервер, як-от api.example.com або *.example.com.
help-mcp-folder = Тека цього комп'ютера, яку локальний сервер може читати за тим самим шляхом.

mcp-ask-header = Заголовок { $name } для { $server } (його не буде видно):{" "}
mcp-ask-env = Змінна { $name } для { $server } (її не буде видно):{" "}
mcp-added = Сервер { $server } записано. Перевірте його: { $command } mcp test { $server }
    Агенти групи можуть ним користуватися, якщо в її group.toml є: mcp = ["{ $server }"]
mcp-removed = Сервер { $server } забуто.
mcp-files-stay = Те, що він записав, лишилося в { $folder }.
mcp-none = Жодного сервера не записано. Додайте: { $command } mcp add
mcp-left-out = Не передано: { $count ->
    [one] { $count } інструмент
    [few] { $count } інструменти
   *[other] { $count } інструментів
 }. Агенти отримують щонайбільше 200 інструментів одного сервера, до 30 000 знаків кожен і до 200 000 разом: вони входять у кожен виклик моделі.
alert-mcp-left-out = ⚠️ У MCP-сервера { $server } більше інструментів, ніж можна дати агентам: { $count ->
    [one] { $count } інструмент не передано
    [few] { $count } інструменти не передано
   *[other] { $count } інструментів не передано
 }. Які вони отримують, показує `nanoclaw mcp test { $server }`.
alert-mcp-changed = ⚠️ MCP-сервер { $server } тепер описує свої інструменти інакше: { $tools }. Агенти читають ці описи, тож перегляньте їх: `nanoclaw mcp test { $server }`. Якщо більше йому не довіряєте: `nanoclaw mcp remove { $server }`.
mcp-answers = { $server } відповідає за { $seconds } с; має { $count ->
        [one] { $count } інструмент.
        [few] { $count } інструменти.
       *[other] { $count } інструментів.
    }

error-mcp-name = Сервер не може зватися «{ $server }»: лише малі латинські літери, цифри й дефіси, спершу літера, не більше 32 знаків.
error-mcp-odd = Сервер { $server } не можна записати: { $key }: { $said }. Нічого не змінено.
error-mcp-broken = Не вдається прочитати { $file } ({ $said }). Виправте файл або видаліть його й додайте сервери знову.
error-mcp-exists = Сервер { $server } уже є. Спершу заберіть його: { $command } mcp remove { $server }
error-mcp-unknown = Сервера { $server } немає. Є: { $known }.
error-mcp-silent = Сервер { $server } не відповідає: { $said }. Перевірте його адресу або команду: { $command } mcp list
error-mcp-folder-ours = Серверу не можна бачити { $folder }: там робочий простір { $home } з його ключами. Покладіть програму сервера деінде.

error-vendor-unknown = Постачальника "{ $vendor }" немає. Відомі: { $known }.
error-mcp-folder-missing = Теки { $folder } немає.
error-group-value = { $file }: { $key }: { $said }.
doctor-mcp-missing = Група { $group } хоче сервер MCP "{ $server }", а його не записано. Додайте його: { $command } mcp add { $server }
doctor-hosts-shared = Цю базу даних можуть ділити кілька хостів: кожному потрібна та сама тека робочого простору (спільна файлова система), інакше сеанси й файли є лише на хості, який їх створив

# Для app.ftl: команди `adaptors list` та `adaptors check`, помилки адапторів і те, що порушує текст.
help-adaptors = Формати каналів і чи відповідає їм текст.
help-adaptors-list = Показати формати каналів.
help-adaptors-check = Перевірити файл за правилами його каналу: код виходу 0, якщо все гаразд, 1, якщо ні, 2, якщо перевірити не вдалося.
help-adaptors-file = Текст: файл у форматі Markdown.
help-adaptors-target = Для якого каналу текст; типово: `channel` або `target` у заголовку файлу.

adaptors-kept = { $file } дотримується всіх правил { $adaptor }.
adaptors-more = { $count ->
        [one] І ще { $count }.
        [few] І ще { $count }.
       *[many] І ще { $count }.
    }

doctor-adaptors = { $count ->
        [one] { $count } формат каналу
        [few] { $count } формати каналів
       *[many] { $count } форматів каналів
    } у порядку
doctor-target-missing = Навичка «{ $skill }» пише для «{ $target }», а такого формату каналу немає. Відомі: { $known }.

error-adaptor-unreadable = { $file }, рядок { $line }: файл неможливо прочитати: { $said }
error-adaptor-too-big = { $file }, рядок { $line }: формат каналу має щонайбільше { $kilobytes } КБ, бо агенти читають його цілком.
error-adaptor-unopened = { $file }, рядок { $line }: формат каналу починається рядком із трьох дефісів та заголовком.
error-adaptor-unclosed = { $file }, рядок { $line }: заголовок не закрито трьома дефісами.
error-adaptor-not-yaml = { $file }, рядок { $line }: це не YAML ({ $said }).
error-adaptor-no-keys = { $file }, рядок { $line }: заголовок складається з рядків «ключ: значення».
error-adaptor-no-advice = { $file }, рядок { $line }: після заголовка нічого немає. Напишіть там, яким має бути текст для цього каналу.
error-adaptor-unknown-key = { $file }, рядок { $line }: невідомий ключ «{ $key }». Відомі ключі: { $known }.
error-adaptor-twice = { $file }, рядок { $line }: для «{ $name }» є інший формат каналу: { $other }. Приберіть це з одного з них.
error-adaptor-bad-value = { $file }, рядок { $line }: { $key }: { $said }.
error-adaptors-none = У { $folder } немає жодного формату каналу. Ті, що постачаються з NanoClaw OS, можна скопіювати з { $starter }
error-adaptors-no-target = Не сказано, для якого каналу { $file }. Напишіть «channel: ...» у заголовку файлу або додайте --target. Відомі: { $known }.
error-adaptors-unknown-target = Немає формату каналу для «{ $target }». Відомі: { $known }.
error-adaptors-unread = { $file } неможливо прочитати: { $said }
error-adaptors-not-a-file = { $file } не є файлом.
error-adaptors-too-big = { $file } має понад { $kilobytes } КБ. Перевірте менший текст.
error-adaptors-not-text = { $file }, рядок { $line }: це не текст у UTF-8. Збережіть його як UTF-8 і перевірте ще раз.

violation-empty = Тексту немає.
violation-head-unclosed = Заголовок файлу не закрито трьома дефісами.
violation-head-not-yaml = Заголовок файлу не є YAML ({ $said }).
violation-head-no-keys = Заголовок файлу не складається з рядків «ключ: значення».
violation-head-lacks = У заголовку файлу бракує: { $keys }.
violation-part-missing = Бракує частини «{ $part }». Додайте її в заголовок файлу, рядком угорі або розділом.
violation-too-long = { $part ->
        [text] Текст має
       *[other] Частина «{ $part }» має
    } { $count ->
        [one] { $count } символ
        [few] { $count } символи
       *[many] { $count } символів
    }; вміщається щонайбільше { $most }.
violation-too-many-words = { $part ->
        [text] Текст має
       *[other] Частина «{ $part }» має
    } { $count ->
        [one] { $count } слово
        [few] { $count } слова
       *[many] { $count } слів
    }; вміщається щонайбільше { $most }.
violation-too-few-items = { $part ->
        [text] Текст має
       *[other] Частина «{ $part }» має
    } { $count ->
        [one] { $count } пункт
        [few] { $count } пункти
       *[many] { $count } пунктів
    }; потрібно щонайменше { $least }.
violation-too-many-items = { $part ->
        [text] Текст має
       *[other] Частина «{ $part }» має
    } { $count ->
        [one] { $count } пункт
        [few] { $count } пункти
       *[many] { $count } пунктів
    }; вміщається щонайбільше { $most }.
violation-too-few-hashtags = { $part ->
        [text] Текст має
       *[other] Частина «{ $part }» має
    } { $count ->
        [one] { $count } хештег
        [few] { $count } хештеги
       *[many] { $count } хештегів
    }; потрібно щонайменше { $least }.
violation-too-many-hashtags = { $part ->
        [text] Текст має
       *[other] Частина «{ $part }» має
    } { $count ->
        [one] { $count } хештег
        [few] { $count } хештеги
       *[many] { $count } хештегів
    }; { $most ->
        [0] їх там не має бути.
       *[other] доречно щонайбільше { $most }.
    }
violation-hashtags-early = { $part ->
        [text] Хештеги тексту
       *[other] Хештеги частини «{ $part }»
    } мають стояти наприкінці, окремими рядками.
violation-first-line-long = { $part ->
        [text] Перший рядок тексту
       *[other] Перший рядок частини «{ $part }»
    } має { $count ->
        [one] { $count } символ
        [few] { $count } символи
       *[many] { $count } символів
    }; видно щонайбільше { $most }.
violation-first-line-emoji = { $part ->
        [text] У першому рядку тексту
       *[other] У першому рядку частини «{ $part }»
    } є емодзі ({ $emoji }). Приберіть його.
violation-heading-missing = Бракує розділу «{ $heading }».
violation-heading-early = Розділ «{ $heading }» має стояти після «{ $before }».
violation-list-long = У списку { $count ->
        [one] { $count } пункт
        [few] { $count } пункти
       *[many] { $count } пунктів
    }; читають щонайбільше { $most }. Розділіть його або скоротіть.
violation-code-untagged = Блок коду не каже, якою він мовою. Напишіть її після знаків, що його відкривають, наприклад ```python.
violation-html = { $tag } тут не дозволено. Дозволено, без атрибутів, крім href: { $allowed }.
violation-link-missing = Немає посилання, у словах або адресі якого є «{ $words }».
violation-timestamps-missing = Відео, довшому за { $minutes } хв, потрібні розділи: рядки на зразок «0:00 Що знадобиться».
violation-timestamps-start = Перший розділ має починатися з 0:00.
violation-timestamps-few = { $count ->
        [one] Є { $count } розділ
        [few] Є { $count } розділи
       *[many] Є { $count } розділів
    }; якщо їх менше ніж { $least }, жодного не буде видно.
violation-timestamps-order = Розділ починається раніше за попередній або разом із ним.
violation-duration-unread = «{ $said }» не є тривалістю. Напишіть, наприклад, 12:40.

# Telegram

help-telegram = Боти в Telegram.
help-telegram-connect = Під'єднати бота: токен буде перевірено і збережено, а на екрані з'явиться код для парування.
help-telegram-token = Токен від BotFather. Якщо не вказати, його запитають, не показуючи на екрані.
help-telegram-list = Показати ботів цього хоста та їхні проблеми.
help-telegram-disconnect = Від'єднати бота й видалити його токен.
help-telegram-bot = Номер бота або його @ім'я.
help-telegram-aside = Показати оновлення, які не вдалося обробити, з причинами.
help-pair = Новий одноразовий код: хто надішле його боту, стане власником цього хоста.
telegram-ask = {"Токен бота: "}
telegram-connected = @{ $bot } приєднано.
telegram-disconnected = { $bot } від'єднано.
telegram-not-running = Зараз хост не працює: запустіть його командою { $command } up, а тоді надішліть код.
telegram-none = Жодного бота не приєднано. Візьміть токен у @BotFather в Telegram, а тоді: { $command } telegram connect
telegram-works = працює
telegram-id = номер
telegram-name = ім'я
telegram-state = стан
telegram-at = час
telegram-channel = канал
telegram-update = оновлення
telegram-error = причина
telegram-aside-none = Усі оновлення прийнято.
pair-code = Надішліть це боту протягом { $minutes } хвилин, і ви станете власником цього хоста, в усіх його ботах: /pair { $code }
pair-link = Або відкрийте це на телефоні: { $link }
doctor-telegram = Бот @{ $bot } доступний
doctor-telegram-none = Жодного бота в Telegram. Приєднайте його командою { $command } telegram connect
doctor-ffmpeg-missing = Немає ffmpeg: голосові в незвичних форматах не розчути. Виконайте: apt-get install ffmpeg
fake-telegram =
    Це вдає Telegram, а ви — людина з телефоном. Запустіть хост в іншому терміналі:

      export TELEGRAM_API_BASE={ $url }
      export TELEGRAM_BOT_TOKEN={ $token }
      { $command } up

    Тоді спаруйте тут за кодом від { $command } pair (з тими самими двома змінними) і пишіть до @{ $bot }.
    !press НАПИС натискає кнопку, !reply ТЕКСТ відповідає на останнє повідомлення (!reply #12 ТЕКСТ – на те), !send ШЛЯХ надсилає файл, Ctrl-D завершує.
fake-telegram-nothing = Такої кнопки чи повідомлення немає.

# Хто може писати (nanoclaw people, roles, chats, wirings, groups, requests, drops, audit, admission)

status-requests = Незнайомці й нові чати, що чекають
status-questions = Запитання, що чекають на відповідь

help-people = Усі, хто писав або має роль.
help-people-list = Показати їх разом із ролями.
help-people-block = Ігнорувати людину.
help-people-unblock = Знову слухати її.
help-person = Людина: @username, ідентифікатор на кшталт telegram:123, число або номер.
help-roles = Хто що може.

    owner (власник): керує хостом і всіма, усюди.

    admin (адміністратор): керує групами агентів, їхніми чатами й учасниками: усіма групами або тією, що в --group.

    member (учасник): розмовляє з агентом однієї групи.

    Власники призначають власників та адміністраторів; адміністратори всього призначають адміністраторів груп; адміністратори групи призначають її учасників. Хто виконує цю команду, діє як власник.
help-roles-list = Показати, хто яку роль має і де.
help-roles-give = Дати людині роль: owner, admin або member.
help-roles-take = Забрати роль: без --group ту, що діє всюди, а якщо її немає, то єдину, яка є.
help-role = owner, admin або member.
help-within-group = Лише в цій групі агентів. Учасник завжди належить до групи; якщо вона одна, називати її не треба.
help-chats = Чати, які знає цей хост.
help-chats-list = Показати їх разом з агентами й правилом для незнайомців.
help-chats-strangers = Що робити, коли в чаті пише хтось невідомий.
help-of-chat = Чат: номер, адреса або назва.
help-of-group = Група агентів.
help-policy = request_approval: питають власника чи адміністратора. strict: незнайомців не допускають. public: писати може будь-хто.
help-wirings = Які агенти в яких чатах і коли вони реагують на сказане.
help-wirings-list = Показати їх.
help-wirings-set = Додати агента до чату або змінити, як він там працює. Що не названо, те лишається як є.
help-wirings-remove = Прибрати агента з чату.
help-engage = Коли агент реагує: always, mention, mention-sticky або pattern.
help-pattern = Регулярний вираз для pattern, як-от ^асистент. Великі й малі літери не розрізняються.
help-senders = На чиї повідомлення реагує: all, усіх, хто може писати в чаті, або known, лише учасників групи.
help-ignored = Що буде з рештою повідомлень: drop, відкинути, або accumulate, прочитати з наступним, яке його розбудить.
help-priority = Із кількох агентів першим починає той, чиє число найменше.
help-groups = Групи агентів.
help-groups-list = Показати їх разом із компаніями.
help-groups-add = Створити групу агентів: її теку й компанію, якщо такої ще немає.
help-group-name = Назва; так зватиметься і тека.
help-company = Компанія, для якої вона працює. Якщо не вказано, та, що зветься як група.
help-requests = Незнайомці й нові чати, що чекають на рішення.
help-requests-list = Показати їх: що написано і що можна вибрати.
help-requests-decide = Вирішити щодо одного з них. Що чекало, піде далі.
help-request = Номер, як його показує список.
help-choice = allow, deny або block для людини; група агентів, ignore або never для чату.
help-drops = Що не допущено й чому. Від найновішого.
help-audit = Хто що змінив, коли й звідки. Від найновішого.
help-limit = Скільки щонайбільше.
help-admission = Як хост вирішує, чи дійде повідомлення до агента.
help-explain = Показати, що сталося б із повідомленням і чому. Нічого не виконується.
help-explain-chat = Чат, у який його надсилають: номер, адреса або назва.
help-explain-from = Хто надсилає: @username, ідентифікатор, число або номер.
help-explain-text = Текст повідомлення.
help-mention = Чи кличуть бота або відповідають йому. Якщо не вказано: так в особистих чатах і для команд.
help-thread = Номер теми форуму.

person-role-none = без ролі
people-none = Ще ніхто не писав.
chat-kind-private = особистий
chat-kind-group = група
chat-kind-threaded = група з темами
chat-no-agent = без агента
wiring-priority = Черга: { $priority }.
wiring-fault = Це не працює: { $fault }.
wirings-none = У жодному чаті ще немає агента.
group-row = { $group }: компанія { $company }, { $count ->
        [one] { $count } чат
        [few] { $count } чати
        [many] { $count } чатів
       *[other] { $count } чату
    }
group-main = (головна група)
request-about-sender = { $who } хоче писати до { $groups } у чаті «{ $chat }»
request-about-chat = У чаті «{ $chat }» немає агента; туди пише або додає бота { $who }
request-choices = Можна вибрати: { $choices }
decided-running = Хост візьметься за це за кілька секунд.
decided-stopped = Хост візьметься за це, коли його запустять: { $command } up
audit-via = звідки: { $via }
explain-new-chat = Чату «{ $chat }» ще немає: вважаємо його новим.
explain-new-person = Людину «{ $person }» ніхто не знає: вважаємо її незнайомою.
explain-finding = { $group }: { $outcome ->
        [wakes] береться до справи
        [kept] зберігає для контексту
        [asked] чекає на рішення
       *[other] не реагує
    }, { $reason }

doctor-wiring-gone = { $chat } приєднано до { $group }, а цю групу агентів прибрано. Виконайте: { $command } wirings remove { $id } { $group }
doctor-wiring-company = { $chat } приєднано до { $group }, яка працює для іншої компанії, ніж перший агент чату, тому нічого не чує. Виконайте: { $command } wirings remove { $id } { $group }
doctor-pattern = { $group } ні на що не реагує в чаті «{ $chat }». { $said } Виконайте: { $command } wirings set { $id } { $group } --pattern PATTERN
doctor-requests = { $count ->
        [one] { $count } запит чекає
        [few] { $count } запити чекають
        [many] { $count } запитів чекають
       *[other] { $count } запиту чекають
    } на рішення. Виконайте: { $command } requests list

error-role-none = { $person } не має такої ролі, тож нема чого забирати.
error-pattern-unused = Шаблон пасує до --engage pattern, а не до «{ $engage }». Приберіть одне з двох.

# Чи журнал змін досі такий, яким його записали (nanoclaw audit verify)

help-audit-verify = Перевірити, чи не змінено журнал дій і рішення компаній. Якщо змінено, код виходу 1.
chain-whole = Журнал змін такий, яким його записали: { $rows ->
        [0] він порожній.
        [one] { $rows } рядок; хеш останнього: { $end }
        [few] { $rows } рядки; хеш останнього: { $end }
       *[other] { $rows } рядків; хеш останнього: { $end }
    }
chain-changed = Рядок { $seq } журналу змін ({ $id }) не випливає з попереднього: один із двох змінено.
chain-missing = { $count ->
        [1] Рядка { $seq } журналу змін бракує.
       *[other] Рядків журналу змін з { $seq } по { $until } бракує.
    }
chain-order = Рядок { $seq } журналу змін ({ $id }) не на своєму місці: його записали пізніше.
chain-cut = Кінець журналу змін відрізано: { $count ->
        [1] бракує рядка { $seq }.
       *[other] бракує рядків з { $seq } по { $until }.
    }
chain-head = Кінець журналу змін, рядок { $seq }, не той, який було занотовано: змінено рядок або таблицю audit_head.
chain-remedy = Рядки перед ним такі, якими їх записали; ті, що після нього, не перевірено. Хтось змінив базу даних в обхід цього хоста. Поверніться до резервної копії (`{ $command } restore ФАЙЛ`), а що вирішено відтоді, звірте з файлами companies/*/memory/decisions.jsonl.
recorded-whole = { $count ->
        [0] Ще жодного питання не поставлено.
        [one] { $count } питання збігається з рішеннями компаній.
        [few] { $count } питання збігаються з рішеннями компаній.
       *[other] { $count } питань збігаються з рішеннями компаній.
    }
recorded-payload = Питання { $question } компанії { $company }: у базі даних записано не те, про що питали.
recorded-chain = { $question } ({ $company }): журнал аудиту каже про його завершення інше, ніж база даних.
recorded-missing = Рішення щодо питання { $question } було записано у companies/{ $company }/memory/decisions.jsonl, а тепер його там немає.
recorded-file = Файл companies/{ $company }/memory/decisions.jsonl не вдається прочитати ({ $said }).
recorded-more = І ще { $count }; усі показує --json.
recorded-remedy = Поверніть файл або його рядки з резервної копії; що каже база даних: { $command } decisions

# Запитання до людей (nanoclaw inbox, decide, ask, decisions, permits)

help-inbox = Запитання, що чекають на рішення: про що питають, які є варіанти й до коли.
help-inbox-cancel = Відкликати запитання. Нічого не буде вирішено.
help-inbox-again = Ще раз поставити запитання, час якого минув.
help-question = Запитання: його номер або останні п'ять літер номера, як у списку.
help-decide = Відповісти на запитання: ідентифікатором, номером або назвою варіанта, а де можна — словами.
help-option = Варіант: його ідентифікатор, номер або назва.
help-decide-text = Ваша відповідь словами; разом із варіантом — коментар.
help-ask = Запитати людей, дочекатися відповіді й вивести її.

    Код завершення — місце обраного варіанта: перший 0, другий 1 і так далі; 0 для відповіді словами. 124: ніхто не відповів вчасно, а типового варіанта немає. 125: запитання не поставлено. 130: його відкликано, наприклад через Ctrl-C.
help-ask-question = Що прочитають люди; має бути зрозумілим без пояснень.
help-ask-options = Варіанти: yes,no або yes=Публікуємо,no=Ще ні. Назва — до 20 символів. Типово: approve,reject.
help-ask-timeout = Скільки чекати: 30m, 2h, 1d. Типово — як у налаштуваннях.
help-ask-default = Варіант, який буде вибрано, якщо ніхто не відповість. Разом із --risk його можна не вказувати: тоді додається варіант «скасувати», і вибрано буде його.
help-ask-risk = normal, publish або destructive. Для останнього мають погодитися двоє, якщо вирішувати можуть щонайменше троє.
help-ask-context = Що допоможе вирішити.
help-ask-context-file = Файл, текст якого допоможе вирішити.
help-ask-input = Люди відповідають власними словами.
help-ask-group = Група агентів, людей якої питають; типово — головна.
help-ask-id = Власний номер: якщо запитати ще раз із тим самим номером, це буде те саме запитання.
help-decisions = Як відповіли на запитання, найновіші спершу: хто що вибрав, коли, звідки та як швидко.
help-decisions-before = Лише запитання, поставлені раніше за це.
help-decisions-figures = Як швидко люди вирішують і як часто не вирішує ніхто: загалом, за видом і за навичкою.
help-decisions-days = За скільки останніх днів.
help-decisions-show = Усе про одне запитання: що саме бачили люди, і хеш цього.
help-permits = Що агенти можуть робити інструментами, не питаючи знову.
help-permits-revoke = Відкликати дозвіл.
help-permit = Дозвіл: його номер або останні п'ять літер номера, як у списку.

inbox-context-more = … ще { $count ->
        [one] { $count } рядок
        [few] { $count } рядки
       *[many] { $count } рядків
    }: { $command } decisions show { $id }
inbox-document = Документ: { $name }
inbox-risk = Ризик: { $risk }
inbox-votes = Мають погодитися: { $needed }. Поки що: { $given }
inbox-until = Через { $left }, о { $time }, само собою: { $default }
inbox-until-nothing = Через { $left }, о { $time }, закінчиться без рішення.
inbox-asker = Питає { $who }
asker-pipeline = конвеєр «{ $title }»
asker-memory = пам’ять компанії
asker-context = контекст компанії
asker-interview = інтерв’ю
asker-handoff = передача роботи
asker-batch = пакет
asker-batch-output = пакет
asker-versions = спільний робочий простір
inbox-asker-program = Питає програма цієї машини, для { $group }
inbox-not-yours = Це вирішують інші.
inbox-how = Вирішити: { $command } decide { $id } НОМЕР
inbox-how-words = Відповісти: { $command } decide { $id } --text "..."
inbox-cancelled = { $id } відкликано. Нічого не вирішено.

decisions-none = Ще нічого не вирішено.
decision-open = ще відкрите
decision-made = { $label } · { $name }, звідки: { $via }, за { $took }
decision-default = { $label } · за замовчуванням, ніхто не вирішив за { $took }
decision-none = нічого · ніхто не вирішив за { $took }
decision-cancelled = відкликано за { $took } · { $name }
decision-failed = ні до чого не привело за { $took }: { $said }
decision-asked = Запитано { $time }
decision-payload = Запитано саме це:
decision-hash = SHA-256: { $hash }
figures-none = За { $days ->
        [one] останній { $days } день
        [few] останні { $days } дні
       *[many] останні { $days } днів
    } не завершилося жодне запитання.
figures-head = Запитань, що завершилися за { $days ->
        [one] останній { $days } день
        [few] останні { $days } дні
       *[many] останні { $days } днів
    }: { $asked }. Час — до рішення людини.
figures-all = усі
figures-kind = вид { $name }
figures-skill = навичка { $name }
figures-column-of = що
figures-column-asked = запитано
figures-column-answered = вирішено
figures-column-rate = минув час
figures-column-mean = середнє
figures-column-median = медіана
figures-plot-median = Медіана часу до рішення людини
figures-plot-rate = Частка тих, час яких минув
permit-row = { $id }  { $group }: { $tool }  { $what }  ({ $scope ->
        [once] один раз
        [session] в одній сесії
       *[always] завжди
    }, дозвіл від { $name }, до { $until })
permit-gone = Дозвіл { $id } відкликано: агенти питатимуть знову.

ask-waiting = Запитано під номером { $id }. Чекаю на відповідь до { $time }; Ctrl-C відкликає запитання.
ask-default = Ніхто не відповів вчасно. Взято типовий варіант: { $label }
ask-timeout = Ніхто не відповів вчасно, нічого не вирішено.
ask-cancelled = Запитання відкликано; нічого не вирішено.
ask-failed = Запитання ні до чого не привело: { $said }

chat-choices-unknown = Кнопки з номером /{ $number } немає. Можна натиснути:{ $known }
chat-choices-none = Картки тут зараз не мають кнопок, тож /{ $number } не надіслано. `/inbox` покаже, що на вас чекає.
chat-plan-how = { $can ->
        [both] Введіть номер або власну відповідь. Або слово: { $words }
        [numbers] Введіть номер. Або слово: { $words }
        [choice] Введіть номер.
        [words] Введіть відповідь. Або слово: { $words }
       *[none] Введіть слово: { $words }
    }
chat-question = ❓ { $question }
    { $choices }
chat-question-session = 🧑‍💻 { $question }
    `nanoclaw session open { $id }`
chat-question-words = ❓ { $question }
    `/decide { $id } …`

error-host-other = Хост, що тут працює, іншої версії, ніж ця програма. Перезапустіть його: зупиніть, потім { $command } up
error-decide-what = Назвіть варіант або напишіть відповідь через --text. Варіанти показує: { $command } inbox
error-context-unread = { $file } неможливо прочитати: { $said }.
error-ask-question-empty = Запитання порожнє. Напишіть, що мають прочитати люди.
error-ask-question-long = У запитанні символів: { $length }; дозволено щонайбільше { $most }. Решту подайте через --context.
error-ask-context-long = У контексті (--context або --context-file) символів: { $length }; дозволено щонайбільше { $most }. Скоротіть його.
error-ask-risk-unknown = Ризику --risk { $risk } немає. Є: { $known }.
error-ask-timeout-range = Час --timeout має бути в межах: { $least } – { $most }.
error-ask-option-empty = У --options є порожній варіант. Пишіть так: yes,no або yes=Публікуємо,no=Ще ні. Без цього: approve,reject.
error-ask-options-count = У --options варіантів: { $count }; має бути від { $fewest } до { $most }.
error-ask-option-twice = У --options двічі названо «{ $option }»: дайте кожному варіанту свою назву.
error-ask-label-long = У варіанті «{ $text }» з --options символів: { $length }; дозволено щонайбільше { $most }. Скоротіть його.
error-ask-id-long = В ідентифікаторі «{ $text }» з --options символів: { $length }; дозволено щонайбільше { $most }. Скоротіть його.
error-ask-default-unknown = Серед варіантів немає --default { $default }. Є: { $known }.
error-ask-default-words = --default { $default } не є варіантом: відповідь словами їх не має. Приберіть --default або назвіть варіанти через --options.
error-ask-default-first = З --risk { $risk } перший варіант – це те, що роблять за згоди, тож «{ $default }» не можна зробити без відповіді. Приберіть --default: буде додано варіант, який усе скасовує, і взято його.
error-ask-default-harm = З --risk { $risk } без відповіді можна зробити лише безпечне, а «{ $default }» може зашкодити. Напишіть --default { $known } або приберіть його.
error-decide-words = У цього запитання немає варіантів: дайте відповідь словами. Напишіть: { $command } decide { $id } --text "..."
error-no-such-decision = Запитання { $id } немає ні серед вирішених, ні серед відкритих. Що вирішено, показує: { $command } decisions
span-fraction = { $count ->
        [one] { $count } секунду
        [few] { $count } секунди
        [many] { $count } секунд
       *[other] { $count } секунди
    }

# Програмний інтерфейс для Python (nanoclaw.human)

error-nobody-answered = На «{ $question }» ніхто вчасно не відповів, а типового варіанта немає.
error-question-cancelled = Запитання «{ $question }» відкликано; нічого не вирішено.
error-session-failed = Сесія ні до чого не привела: { $said }
error-session-pending = Ця сесія вже чекає на завершення. Візьміть інший InteractiveSession або спершу скасуйте цю.
recorded-line = Рядок { $line } у companies/{ $company }/memory/decisions.jsonl стосується питання { $question } і розходиться з базою даних: { $said }.
recorded-twice = Рядок { $line } у companies/{ $company }/memory/decisions.jsonl стосується питання { $question }, як і один із попередніх. Приберіть той, якого немає в резервній копії.
