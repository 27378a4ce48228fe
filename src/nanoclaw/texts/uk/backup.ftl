# Резервні копії: що про них кажуть командний рядок, лікар і сторінка.

help-backup = Зберегти все в один файл, навіть під час роботи хоста; перевірити такий файл; показати збережені копії.
help-backup-make = Зробити резервну копію. Це слово можна пропустити: backup FILE.
help-backup-file = Файл для запису або тека для нього; типово — data/backups у робочому просторі.
help-backup-which = Резервна копія.
help-backup-with-keys = Додати ключі постачальників і токени ботів, зашифровані парольною фразою.
help-backup-passphrase-file = Файл, у першому рядку якого — парольна фраза.
help-backup-verify = Прочитати копію повністю й повідомити, що з нею не так.
help-backup-list = Показати збережені копії, найновіші спершу.
help-restore = Відновити резервну копію. Те, що є зараз, буде відкладено вбік. Нічого не запуститься, доки ви не скажете: resume.
help-restore-without-keys = Не брати ключі з копії: парольна фраза не потрібна.
help-restore-yes = Не питати, чи можна відсунути те, що є.
help-restore-accept = Погодитися з тим, кому надсилатиме відновлений простір: код, надрукований разом із цим списком.
help-trust = Показати, кому надсилатиме дані й що запускатиме простір, створений деінде, і погодитися на це.
help-trust-accept = Погодитися без запитання: код, надрукований разом зі списком.
help-resume = Дозволити роботу після відновлення: ходи, задачі й доставка продовжаться.
help-resume-drop = Відкинути ходи, що чекали в копії, замість того щоб їх виконувати.

backup-made = Резервна копія: { $file } ({ $size }), { $files ->
    [one] { $files } файл
    [few] { $files } файли
   *[many] { $files } файлів
}, { $rows ->
    [one] { $rows } рядок
    [few] { $rows } рядки
   *[many] { $rows } рядків
} бази даних.
backup-keys-in = Ключі й токени ботів у ній є, замкнені парольною фразою. Без фрази їх не прочитає ніхто, і ви теж.
backup-keys-out = Ключів і токенів ботів у ній немає. З ними: { $command } backup --with-keys
backup-skipped = Пропущено: { $path } ({ $reason })
backup-skipped-more = ... і ще { $count }.
backup-because-not-a-file = це не файл і не тека
backup-because-unreadable = не вдається прочитати
backup-because-too-deep = забагато вкладених тек
backup-because-secret = містить секрет, який не вдалося вилучити
backup-because-name = відновлення відхилило б таку назву: у ній нечитабельні знаки, або вона відрізняється від іншої лише регістром
backup-changed = Під час читання файл став коротшим, тож у копії він неповний: { $path }
backup-sound = Копія { $file } справна: її зроблено { $at }, { $files ->
    [one] { $files } файл
    [few] { $files } файли
   *[many] { $files } файлів
}, { $rows ->
    [one] { $rows } рядок
    [few] { $rows } рядки
   *[many] { $rows } рядків
} бази даних.
backup-faults-more = ... і ще вад: { $count }.
backup-none = Резервних копій ще немає. Зробити: { $command } backup
backup-column-made = Зроблено
backup-column-size = Розмір
backup-column-keys = Ключі
backup-column-file = Файл
backup-with-keys = є
backup-without-keys = немає
backup-unreadable-cell = не читається
passphrase-ask = Парольна фраза для ключів: { "" }
passphrase-again = Ще раз те саме: { "" }

restore-sure = Те, що є в { $home }, буде відкладено вбік, а на його місце стане копія від { $at }. Продовжити? т/Н
restore-done = { $home } тепер такий, як був { $at }. База даних: { $database }
restore-aside = Те, що було, збережено в { $path }
restore-kept = Те, що було в базі даних, збережено в { $file }
restore-link = Не перенесено (посилання назовні або налаштування іншої програми): { $path }
restore-secret = Значення { $name } у копії немає. Задайте його в nanoclaw.toml або в змінній середовища.
restore-no-keys = Ключі й токени ботів не повернуто; ті, що були в цьому робочому просторі, залишилися. Перевірте: { $command } key list, { $command } telegram list
restore-database = База даних — та, яку називає NANOCLAW_DATABASE_URL, а в nanoclaw.toml записано інше. Щоб так і лишилося, впишіть url = "{ $database }" разом із паролем у [database] файлу nanoclaw.toml.
held-now = Після відновлення все призупинено: { $turns ->
    [0] жоден хід не чекає
    [one] чекає { $turns } хід
    [few] чекають { $turns } ходи
   *[many] чекає { $turns } ходів
}, { $tasks ->
    [0] активних задач немає
    [one] активна { $tasks } задача
    [few] активні { $tasks } задачі
   *[many] активних задач: { $tasks }
}. Нові повідомлення зберігаються й теж чекають.
held-parcels = { $count ->
    [one] { $count } повідомлення було в дорозі, коли робилася копія. Воно могло вже дійти, тому без дозволу вдруге не надсилається.
    [few] { $count } повідомлення були в дорозі, коли робилася копія. Вони могли вже дійти, тому без дозволу вдруге не надсилаються.
   *[many] { $count } повідомлень було в дорозі, коли робилася копія. Вони могли вже дійти, тому без дозволу вдруге не надсилаються.
} Подивіться { $command } failed list і надішліть те, чого бракує: { $command } failed retry ID
held-kept = Повідомлення збережено ({ $id }), і воно чекає: після відновлення все призупинено. Продовжити: { $command } resume
held-go = Продовжити: { $command } resume (або відмовитися від ходів, що чекали: { $command } resume --drop)
resume-not-held = Нічого не призупинено.
resume-done = Усе продовжиться { $running ->
    [yes] за кілька секунд
   *[no] після наступного запуску
}: { $turns ->
    [0] жоден хід не чекав
    [one] чекав { $turns } хід
    [few] чекали { $turns } ходи
   *[many] чекало { $turns } ходів
}, { $tasks ->
    [0] активних задач немає
    [one] активна { $tasks } задача
    [few] активні { $tasks } задачі
   *[many] активних задач: { $tasks }
}.
resume-dropped = Ходи, що чекали в копії, скасовано ({ $turns }). Решта продовжиться { $running ->
    [yes] за кілька секунд
   *[no] після наступного запуску
}: { $tasks ->
    [0] активних задач немає
    [one] активна { $tasks } задача
    [few] активні { $tasks } задачі
   *[many] активних задач: { $tasks }
}.
status-held = Призупинено
status-held-value = після відновлення: чекає ходів — { $turns }, задач — { $tasks }, відкладено повідомлень — { $parcels }; продовжити: { $command } resume
console-held = Після відновлення все призупинено: повідомлення зберігаються й чекають. Продовжити: { $command } resume
alert-backup = Не вдалося зробити резервну копію. { $reason } Наступна спроба — за годину.

doctor-held = Після відновлення все призупинено: чекає ходів — { $turns }, задач — { $tasks }, відкладено повідомлень — { $parcels }. Виконайте: { $command } resume
doctor-backup = Найновішій резервній копії { $hours ->
    [0] менше години
    [one] { $hours } година
    [few] { $hours } години
   *[many] { $hours } годин
} ({ $file })
doctor-backup-elsewhere = Найновішу резервну копію зробив інший хост, { $hours ->
    [0] менше години
    [one] { $hours } годину
    [few] { $hours } години
   *[many] { $hours } годин
} тому (там: { $file })
doctor-backup-off = Резервні копії не робляться (backup.every = 0). Час від часу робіть самі: { $command } backup
doctor-backup-none-yet = Резервної копії ще немає; першу хост зробить за кілька хвилин після запуску
doctor-backup-none = Резервної копії немає. Зробіть: { $command } backup
doctor-backup-old = Найновішій резервній копії вже { $hours ->
    [one] { $hours } година
    [few] { $hours } години
   *[many] { $hours } годин
} ({ $file }). Шукайте причину в журналі й зробіть нову: { $command } backup
doctor-backup-broken = Найновіша резервна копія не читається: { $file }. Зробіть іншу: { $command } backup

error-backup-exists = { $file } вже є. Виберіть іншу назву.
error-backup-under-way = Інша копія саме пишеться у { $file }. Якщо цей файл лишився після збою, вилучіть його.
error-backup-disk-full = Для { $file } немає місця. Звільніть місце або виберіть інший диск. Нічого недописаного не лишилося.
error-backup-unwritable = Не вдається записати { $file } ({ $said }).
error-backup-failed = { $said }.
error-backup-no-database = Бази даних { $file } ще немає. Запустіть хост хоча б раз: { $command } up
error-backup-database = Не вдалося скопіювати базу даних ({ $said }).
error-backup-missing = Файлу { $file } немає.
error-backup-unreadable = Не вдається прочитати { $file } ({ $said }).
error-backup-not-one = { $file } — не резервна копія NanoClaw OS.
error-backup-cut = { $file } неповний або пошкоджений. Нічого не змінено.
error-backup-newer = { $file } зроблено новішою версією NanoClaw OS ({ $program }). Спершу оновіть цю.
error-backup-incomplete = Копія неповна: бракує { $member }.
error-backup-altered = Копію змінено: { $member } не такий, яким був, коли її робили.
error-backup-database-damaged = База даних у копії пошкоджена ({ $said }).
error-backup-database-program = База даних у копії містить тригери, подання або обчислювані стовпці, яких у нашій не буває. Її не відновлено.
error-backup-odd-entry = У копії є щось, що не є ні звичайним файлом, ні текою, ні посиланням: { $member } (вид { $kind }). Її не відновлено.
error-backup-odd-name = У копії є назва або посилання, яких у наших копіях не буває: { $member }. Її не відновлено.
error-backup-twice = У копії два записи для одного місця: { $member }. Її не відновлено.
error-backup-planted = У копії є { $member }, якому там не місце: ключі, токени й програми переносяться лише зашифрованими. Її не відновлено.
error-backup-too-many = У копії понад { $most } записів, або назви разом задовгі.
error-backup-too-big = { $member } у копії потребує { $needed } МБ, а місця немає.
error-backup-behind = За кінцем копії щось приховано. Її не відновлено.
error-passphrase-needed = Для ключів потрібна парольна фраза. Передайте її через --passphrase-file FILE.
error-passphrase-file = Не вдається прочитати парольну фразу з { $file } ({ $said }).
error-passphrase-differs = Це дві різні фрази. Нічого не зроблено.
error-passphrase-short = Парольна фраза має щонайменше { $least } символів.
error-passphrase-wrong = Це не парольна фраза цієї копії. Нічого не змінено. Без ключів: --without-keys
error-restore-running = На цьому робочому просторі працює хост. Спершу зупиніть його; нічого не змінено.
error-restore-hosts = { $count ->
    [one] Цією базою користується { $count } хост.
    [few] Цією базою користуються { $count } хости.
   *[many] Цією базою користуються { $count } хостів.
} Спершу зупиніть усі хости; нічого не змінено. Після збою зачекайте, доки хост вважатимуть зниклим (database.host_lifetime).
error-restore-needs-yes = { $home } не порожній. Те, що там є, було б відкладено вбік; підтвердьте це через --yes. Нічого не змінено.
error-restore-not-sure = Нічого не змінено.
error-restore-not-accepted = Нічого не змінено.
error-outgoing-needs-accept = Цей простір надсилав би дані, запускав би програми або слухався б тих, хто в списку вище. Якщо все це ваше, повторіть команду з --accept { $digest }. Нічого не змінено.
error-restore-no-room = Копії потрібно { $needed } МБ, а вільно { $free } МБ. Нічого не змінено.
error-restore-cut = Відновлення перервалося ({ $said }). Усуньте причину й відновіть ще раз: нічого не вилучено.
error-restore-unfinished = Відновлення { $home } перервалося. Відновіть ще раз: { $command } restore FILE. Те, що було раніше, збережено в { $aside }.
error-restored = було в дорозі, коли робилася копія, і могло вже дійти

# Кому надсилатиме принесений простір

backup-not-taken = Відновлення пропустило б (посилання назовні або налаштування іншої програми): { $path }
outgoing-new = { $count ->
    [one] Ось що нове; воно почне діяти, лише якщо ви погодитеся:
   *[other] Ось що нове ({ $count }); воно почне діяти, лише якщо ви погодитеся:
  }
outgoing-setting = Налаштування { $name }: { $target }
outgoing-channel = Налаштування каналу { $name }: { $target }
outgoing-group = Група агентів { $name }: { $target }
outgoing-skill = Навичка { $name } має доступ до { $target }
outgoing-server = Сервер MCP { $name }: { $target }
outgoing-remote = Віддалений репозиторій git { $name }: { $target }
outgoing-git = Налаштування git { $name }: { $target }
outgoing-owner = { $name } керує хостом як власник: { $target }
outgoing-admin = { $name } ухвалює тут рішення як адміністратор: { $target }
outgoing-hook = Хук git { $name }
outgoing-bot = Бот Telegram { $name }: хто має його токен, той може читати все, що йому пишуть
outgoing-key = Ключ { $name }: його власник може бачити, що з ним надсилають
outgoing-sure = Усе це ваше? т/Н
trust-ours = Цей простір тут уже використовується: погоджувати нічого не треба.
trust-done = Тепер цей простір ваш. Сторінка має новий токен.
error-trust-refused = Нічого не змінено. Простір залишається закритим для всіх інших команд.
error-workspace-brought = { $home } скопійовано сюди або створено деінде, і цей простір надсилав би комусь дані або запускав би програми. Перегляньте список і вирішіть, чи погодитися: { $command } trust
error-workspace-database-program = { $file } містить тригери, подання або обчислювані стовпці, яких у нашій базі не буває: хтось навчив її діяти самостійно. Вилучіть цей файл або відновіть власну резервну копію.
