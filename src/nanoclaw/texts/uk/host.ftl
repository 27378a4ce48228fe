# Що каже в чаті сам хост і як він пояснює долю повідомлення.

help-head = Що тут можна написати:
help-how = `/help задачі` розповість більше про один рядок, `/help schedule` — про одну команду.
help-more = Більше такого: `/help { $topic }`
help-unknown = Тут немає нічого з назвою «{ $word }». Напишіть /help, щоб побачити, що є.
help-unknown-near = Тут немає нічого з назвою «{ $word }». Може, `/help { $near }`? Напишіть /help, щоб побачити, що є.
help-topic-chat = розмова
help-about-chat = говорити з агентом і дізнатися, що сталося з повідомленням
help-topic-questions = запитання
help-about-questions = вирішувати те, про що питають агенти
help-topic-tasks = задачі
help-about-tasks = зробити щось пізніше або регулярно
help-topic-pipelines = конвеєри
help-about-pipelines = доручити одну тему кільком агентам
help-topic-batches = пакети
help-about-batches = багато текстів одразу, за пів ціни
help-topic-transfers = перенесення
help-about-transfers = перенести розмову в інше місце й повернути результат
help-topic-memory = пам'ять
help-about-memory = що знає компанія
help-topic-costs = витрати
help-about-costs = скільки коштують агенти і скільки їм можна витратити
help-topic-settings = налаштування
help-about-settings = ваша мова й ваш часовий пояс
help-topic-skills = навички
help-about-skills = уміння агентів, кожне зі своїм словом
help-topic-people = люди
help-about-people = хто може говорити і що кому дозволено
help-topic-chats = чати
help-about-chats = які агенти є в чаті й коли вони відповідають
help-topic-host = хост
help-about-host = що хост зробив і чого не допустив
help-foot = Усе інше отримує агент.
command-help = цей перелік або більше про одне його слово
command-start = привітатися й побачити цей перелік
command-status = що хост робить просто зараз
command-why = історія останнього повідомлення або того, чий номер ви вкажете
command-retry = повторити останнє повідомлення, з яким щось пішло не так
command-language = мова, якою хост говорить з вами
command-timezone = часовий пояс, у якому ви бачите час
start-head = Вітаю, { $name }. Це NanoClaw OS. Пишіть агентові так, як писали б колезі.

order-unknown = Команди /{ $name } немає. Напишіть /help, щоб побачити команди.
order-unknown-near = Команди /{ $name } немає. Може, /{ $near }? Усі команди покаже /help.
order-forbidden = Команда /{ $name } потребує ролі { $role ->
        [owner] власника
        [admin] адміністратора
        [member] учасника
       *[other] { $role }
    }, а { $yours ->
        [owner] ваша роль — власник
        [admin] ваша роль — адміністратор
        [member] ваша роль — учасник
       *[other] ви ролі не маєте
    }.
order-language-set = Відтепер хост говорить з вами українською.
order-language-unknown = Напишіть /language en або /language uk.
order-timezone-set = Час показано за поясом { $zone }; там зараз { $time }.
order-timezone-now = Ваш пояс — { $zone }. Щоб змінити його, напишіть назву, наприклад /timezone Europe/Kyiv.
order-timezone-unknown = Поясу «{ $zone }» немає. Напишіть назву, наприклад /timezone Europe/Kyiv.
order-retry-done = Пробую ще раз.
order-retry-none = Тут нічого не зламалося, тож повторювати нема чого. Якщо ви щось зупинили, напишіть це ще раз.
order-why-none = Такого повідомлення немає. Напишіть /why про останнє або /why з номером.
order-status =
    { $running ->
        [0] Жоден хід не виконується
        [one] Виконується { $running } хід
        [few] Виконуються { $running } ходи
       *[other] Виконується { $running } ходів
    }, { $waiting ->
        [0] жодне повідомлення не чекає
        [one] чекає { $waiting } повідомлення
        [few] чекають { $waiting } повідомлення
       *[other] чекає { $waiting } повідомлень
    }, { $undelivered ->
        [0] усе доставлено
        [one] { $undelivered } відповідь у дорозі
        [few] { $undelivered } відповіді в дорозі
       *[other] { $undelivered } відповідей у дорозі
    }{ $failed ->
        [0] .
       *[other] ; не вдалося доставити: { $failed } (`{ $command } failed list`).
    }

declined-empty = Повідомлення порожнє, тож відповідати нема на що. Напишіть кілька слів і надішліть знову.
declined-too-long = Довжина повідомлення — { $length } (у символах); за раз можна прийняти щонайбільше { $longest }. Воно збережене, але агент його не отримав: надішліть його частинами.
turn-failed = Щось пішло не так, і відповіді немає: { $reason }

    Ваше повідомлення збережено: /retry спробує ще раз.

state-waiting = { $place ->
        [0] Повідомлення чекає на хід, що виконується перед ним.
        [1] Повідомлення наступне.
       *[other] Повідомлення чекає; його місце в черзі — { $place }.
    }
state-running = Агент працює над ним.
state-asks = Агент поставив запитання й чекає на рішення. Воно у вхідних.
state-rests = Хост завершився { $deaths ->
        [one] { $deaths } раз
        [few] { $deaths } рази
       *[many] { $deaths } разів
    } під час цієї роботи. Можливо, причина саме в ній, тому вона чекає до { $time }; потім буде нова спроба. /stop у тому чаті скасує її.
state-answered = На повідомлення відповіли.
state-refused = Хост не прийняв повідомлення й сказав чому.
state-failed = Щось пішло не так. Повідомлення збережено, його можна повторити.
state-silent = Агент вирішив нічого не казати.
state-dropped = Повідомлення не допущено.

why-received = отримано каналом { $channel } і збережено
why-admitted = допущено до { $groups }
why-dropped = не допущено: { $reason }
why-refused = відмовлено: { $reason }
why-commanded = сприйнято як команду /{ $name }, відповів хост
why-queued = у черзі до { $group }
why-started = хід почато: { $messages ->
        [one] { $messages } повідомлення
        [few] { $messages } повідомлення
       *[other] { $messages } повідомлень
    }
why-chosen = навичка { $skill } ({ $reason }), середовище { $runtime }
why-money-waits = чекає на гроші, які відкладено для інших відповідей і які можуть повернутися
why-not-recalled = відповідь без пам'яті: { $reason }
why-memory = Використана пам'ять:
why-started-again = почато знову, спроба { $attempt }: хост, що виконував хід, зупинився
why-first-token = надійшло перше слово відповіді
why-finished = відповідь готова (символів: { $length })
answer-asked-first = Перш ніж почати, питаю:
why-asked-first = замість відповіді агент надіслав картку із запитаннями ({ $count })
why-silent = агент вирішив нічого не казати
why-failed = не вдалося: { $error }
why-retried = людина повернула повідомлення в чергу
why-delivered = доставлено каналом { $channel }
why-delivery-delayed = не вдалося доставити: { $error } Наступна спроба через { $seconds } с
why-delivery-failed = доставку припинено: { $error }
why-delivery-unknown = передано, але відповіді не було; невідомо, чи воно дійшло
why-delivery-retried = буде доставлено знову, бо так попросила людина
why-delivery-dropped = доставляти не треба, вирішила людина
why-delivery-proven = таки дійшло: на нього відповіли або натиснули його кнопку
why-delivery-again = надіслано ще раз із приміткою, бо ніхто не міг сказати, чи воно дійшло
why-draft-lost = перші слова можуть стояти в чаті двічі: коли їх надсилали, відповіді не було

reason-recall-slow = пошук тривав задовго
reason-recall-failed = шукати не вдалося
reason-unknown-sender = відправник тут невідомий
reason-not-wired = до цього чату не приєднано жодної групи агентів
reason-empty = повідомлення порожнє
reason-too-long = повідомлення задовге
reason-unknown-command = такої команди немає
reason-forbidden-command = команда потребує іншої ролі
reason-command-refused = команду не можна виконати так, як її написано
reason-command = обрано командою
reason-default = типова для групи
reason-classified = обрано за змістом повідомлення
reason-topic = навичка теми { $topic }
reason-topic-classified = обрано за змістом повідомлення серед навичок теми { $topic }
reason-missing = навичку групи не знайдено

error-too-many-attempts = роботу починали кілька разів ({ $attempts }), і щоразу хост зупинявся або агент не подавав ознак життя.
error-agent-silent = агент не подавав ознак життя (секунд: { $seconds }).
error-runtime-missing = середовище «{ $runtime }» недоступне.
error-unexpected = неочікувана помилка ({ $said }).
error-chat-gone = чату цієї розмови вже немає.
error-not-connected = канал { $channel } не під'єднано.
error-document-not-written = документ, що йде разом із цим, не вдалося записати на диск ({ $reason }).
error-send-cut = хост зупинився посеред цього надсилання.
error-far-end-silent = інша сторона не відповідає ({ $said }).
error-far-end-busy = інша сторона просить зачекати.
error-far-end-failed = інша сторона відповіла помилкою { $status }.
error-far-end-refused = інша сторона відмовила: { $said }

command-stop = зупинити те, що агент тут робить
command-clear = почати спочатку: агент забуває цю розмову
order-stop-done = Зупинено.
order-stop-none = Тут нічого не виконується.
order-clear-done = Починаємо спочатку: агент більше не бачить того, що тут було сказано.
turn-stopped = тут зупинено
answer-cut-by-budget = Відповідь обривається тут: на більше не вистачає бюджету.
money-waits = чекає на гроші, відкладені для інших відповідей
answer-cut = [Решту пропущено: у відповіді щонайбільше { $most } символів.]
turn-held = { $reason }

    Ваше повідомлення збережено, відповідь надійде, щойно це стане можливо; писати ще раз не треба.
state-stopped = Роботу зупинено.
why-joined = надійшло, поки агент працював, і передано йому
why-tool = { $failed ->
        [yes] інструмент { $name } дав збій через { $seconds } с: { $shown }
       *[other] інструмент { $name }, { $seconds } с: { $shown }
    }
why-spent = { $calls ->
        [one] { $calls } звернення до моделі
        [few] { $calls } звернення до моделі
       *[many] { $calls } звернень до моделі
    } ({ $model }): токенів прочитано { $input }, написано { $output }, { $money }
why-held = очікує: { $error }
why-stuck = жодних ознак життя: { $error } Спроба повторюється
why-stopped = зупинено людиною
error-too-many-steps = агент зробив { $steps } кроків і не дійшов до кінця. Попросіть менше за один раз або збільште turns.most_steps.

error-agent-died = програма агента завершилася ({ $said }).
error-agent-not-started = не вдалося запустити програму агента ({ $said }). Якщо так триватиме, /clear починає нову розмову.
error-model-said = модель відмовила: { $said }
error-model-garbled = відповідь моделі незрозуміла ({ $said }).
error-model-endless = відповідь моделі не мала кінця, тож її обірвано. Спробуйте ще раз або виберіть іншу модель.
error-model-declined = модель відмовилася на це відповідати. Спитайте іншими словами або почніть нову розмову: /clear.
error-model-unknown = модель "{ $model }" невідома: { $said }
error-model-of-other-vendor = середовище claude-code не може використати модель "{ $model }". Для неї вкажіть runtime = "native" у group.toml або в навичці.
error-key-absent = немає ключа { $vendor }. Додайте його: { $command } key set { $vendor }
error-base-url-absent = постачальнику "local" потрібна адреса: вкажіть agents.base_url у nanoclaw.toml, наприклад "http://localhost:8000/v1".

# Шлюз моделей
error-price-unknown = Ціна моделі { $model } невідома, тому її не запитано. Вкажіть ціну в nanoclaw.toml, у доларах за мільйон вхідних і вихідних токенів: [prices] "{ $model }" = "1.0/5.0"
error-price-unreadable = Не вдалося прочитати [prices] "{ $model }" = "{ $written }". Напишіть долари за мільйон вхідних і вихідних токенів, наприклад "1.0/5.0".
error-budget-spent = Бюджет вичерпано: витрачено { $spent } із { $limit }, і решти замало для наступної відповіді. Гроші знову будуть, коли почнеться новий день чи місяць або коли їх додасть власник.
error-budget-of-run-spent = Бюджет цього запуску вичерпано: витрачено { $spent } із { $limit }, і решти замало для наступної відповіді.
error-budget-of-step-spent = Бюджет цього кроку вичерпано: витрачено { $spent } із { $limit }, і решти замало для наступної відповіді.
error-budget-of-group-spent = Бюджет цієї групи вичерпано: витрачено { $spent } із { $limit }, і решти замало для наступної відповіді. Гроші знову будуть, коли почнеться новий день чи місяць або коли їх додасть власник.
error-budget-of-person-spent = Ваш бюджет вичерпано: витрачено { $spent } із { $limit }, і решти замало для наступної відповіді. Гроші знову будуть, коли почнеться новий день чи місяць або коли їх додасть власник.
error-budget-of-task-spent = Бюджет цього завдання вичерпано: витрачено { $spent } із { $limit }, і решти замало для наступної відповіді. Гроші знову будуть, коли почнеться новий день чи місяць або коли їх додасть власник.
error-model-not-allowed = Модель { $model } тут не дозволена. Дозволені: { $allowed }.
error-model-outage = Модель від { $vendor } зараз недоступна ({ $said }).
error-model-key-missing = Немає ключа до моделі. Додайте його командою `{ $command } key set` і запустіть хост знову.
error-model-key-refused = Постачальник не прийняв ключ до моделі ({ $said }). Додайте інший командою `{ $command } key set` і запустіть хост знову.
error-network-pattern = «{ $written }» не є хостом, до якого можна дозволити доступ агентові. Напишіть example.com, *.example.com або example.com:8080.

# Голос

error-voice-empty = У цьому голосовому повідомленні немає звуку. Запишіть його ще раз.
error-voice-silent = У цьому голосовому повідомленні не чути слів. Говоріть ближче до мікрофона або напишіть.
error-voice-too-big = Звуковий файл більший за { $megabytes } МБ, а більших хост не слухає. Надішліть його частинами.
error-voice-too-long = Запис триває понад { $hours } год, а довших хост не слухає. Надішліть його частинами.
error-voice-unreadable = Файл голосового повідомлення не вдалося відкрити ({ $said }). Надішліть його ще раз.
error-voice-slow = Голосове повідомлення не вдалося перетворити на текст за { $seconds } с. Спробуйте ще раз або надішліть коротше.
error-voice-failed = Голосове повідомлення не вдалося перетворити на текст: { $said }. Спробуйте пізніше або напишіть.
error-voice-garbled = Відповідь рушія мовлення неможливо прочитати. Перевірте, чи `voice.base_url` — адреса аудіо-API, сумісного з OpenAI.
error-voice-key = Рушій мовлення не прийняв ключ. Додайте інший командою `{ $command } key set openai` (або `local`) і запустіть хост знову.
error-voice-budget = Бюджет вичерпано: витрачено { $spent } із { $limit }, тому голосове повідомлення не надіслано рушію мовлення. Гроші знову будуть, коли почнеться новий день чи місяць або коли їх додасть власник.
error-voice-no-whisper = Голос має розпізнавати faster-whisper на цій машині, але його пакетів не встановлено: додаток «whisper». Їх встановлює: { $command } up
error-voice-no-model = Модель «{ $model }» для faster-whisper не вдалося завантажити: { $said }. Перевірте `voice.whisper_model`, мережу та вільне місце.
error-sound-no-ffmpeg = Такий звук спершу треба перетворити, а ffmpeg не встановлено. Встановіть його: `apt install ffmpeg`.
error-sound-unreadable = Файл неможливо прочитати як звук ({ $said }). Надішліть його голосовим повідомленням або як MP3, M4A, OGG чи WAV.
error-sound-slow = Звук не вдалося перетворити за { $seconds } с. Надішліть коротший запис.
error-speech-empty = У цьому тексті немає нічого, що можна вимовити.
error-speech-too-long = Текст, довший за { $most } символів, не озвучується. Його надіслано текстом.
error-speech-slow = Текст не вдалося озвучити за { $seconds } с. Його надіслано текстом.
error-speech-failed = Текст не вдалося озвучити: { $said }. Його надіслано текстом.
error-speech-garbled = Відповідь рушія мовлення — не звук. Перевірте `voice.base_url` і `voice.speech_model`. Текст надіслано як є.
error-speech-key = Рушій мовлення не прийняв ключ. Додайте інший командою `{ $command } key set openai` (або `local`) і запустіть хост знову.
error-speech-budget = Бюджет вичерпано: витрачено { $spent } із { $limit }, тому голосу не створено. Текст надіслано як є.

# Мережі чатів

command-retry-failed = надіслати знову все, що не вдалося доставити
command-pair = стати власником за кодом із комп'ютера
button-retry = Спробувати знову
button-send-again = Надіслати знову
button-drop = Відкинути
press-taken = Прийнято.
press-old = Це вже вирішено або більше не актуально. Нічого не змінено.
press-forbidden = Ви не можете це вирішувати.
press-signed = { $label }: { $name }
order-start-unpaired =
    Цей бот ще не має власника. Якщо він ваш: виконайте `nanoclaw pair` на комп'ютері, де він працює, і надішліть код сюди як `/pair КОД`.
order-pair-done = Вітаємо, { $name }. Тепер ви власник, і агент вас тут слухає. /help покаже, що можна робити.
order-pair-wrong = Код неправильний, застарілий або вже використаний. `nanoclaw pair` на комп'ютері дасть новий.
order-pair-already = Ви вже власник.
order-retry-failed =
    { $count ->
        [0] Нема чого надсилати знову.
        [one] { $count } повідомлення надсилається знову.
        [few] { $count } повідомлення надсилаються знову.
       *[other] { $count } повідомлень надсилаються знову.
    }
alert-failed =
    Повідомлення до { $chat } не вдалося доставити: { $reason }

    > { $text }

    Надішліть його знову кнопкою, командою /retry_failed або `{ $command } failed retry --all`.
alert-unknown =
    Невідомо, чи дійшло повідомлення до { $chat }: { $reason } Коли там напишуть знову, його буде надіслано ще раз із приміткою. Якщо надіслати зараз, його можуть побачити двічі.

    > { $text }

    Вирішіть кнопками, командою /retry_failed або `{ $command } failed`.
alert-bot = Бот { $bot } не може працювати: { $reason }
why-edited = автор змінив слова, перш ніж їх побачив агент
why-fetched =
    { $count ->
        [0] жодного файлу не отримано
        [one] отримано { $count } файл
        [few] отримано { $count } файли
       *[other] отримано { $count } файлів
    }
why-not-fetched = файлу { $name } нема або його не розчути: { $said }
reason-not-addressed = це сказано не боту: ні згадки, ні відповіді, ні команди
error-telegram-busy = Telegram просить зачекати.
error-telegram-forbidden = Telegram не дозволяє боту там писати: { $said }
error-telegram-token = Telegram більше не приймає токен цього бота. Візьміть новий у BotFather і виконайте `{ $command } telegram connect`.
error-telegram-token-odd = Це не токен бота. BotFather дає токен на зразок 123456789:AAE...; скопіюйте його повністю.
error-telegram-token-unknown = Telegram не знає цього токена. Скопіюйте його з BotFather ще раз, повністю.
error-telegram-unreachable = Telegram недоступний за адресою { $url }: { $said }. Перевірте мережу та telegram.api_base і спробуйте знову.
error-telegram-conflict = Оновлення цього бота отримує інша програма, або для нього встановлено чужий вебхук. Зупиніть її або дайте цьому хосту власного бота.
error-telegram-silent = Telegram не відповів ({ $said }).
error-telegram-failed = Telegram дав збій ({ $said }).
error-telegram-moved = Група має тепер іншу адресу; надсилається туди.
error-telegram-refused = Telegram відмовив: { $said }
error-telegram-too-big = Це завелике для Telegram.
error-telegram-empty = Тут немає нічого, що Telegram показав би.
error-telegram-file-too-big = Файл { $name } завеликий: Telegram приймає від бота щонайбільше 50 МБ.
error-telegram-file-gone = Файл { $name } більше не зберігається.
error-telegram-file-refused = Telegram не віддає { $name }: { $said }
error-file-not-there = Файлу { $name } немає, його не можна отримати.
error-file-too-long = { $name } більший за { $megabytes } МБ — найбільше, що отримується.
error-no-such-bot = Бота { $bot } немає. Приєднані: { $known }.
error-bot-in-settings = Токен { $bot } записано в nanoclaw.toml або TELEGRAM_BOT_TOKEN. Приберіть його там і перезапустіть хост.
error-telegram-pace = Перед ним інші: Telegram дозволяє лише певну кількість повідомлень за раз.
error-chat-closed = У цьому чаті більше не можна нічого сказати: { $said }
error-store-away = База даних була недоступна: { $said }
order-pair-how = Допишіть код від `nanoclaw pair`: /pair КОД
order-pair-too-often = Забагато неправильних кодів. Протягом години жоден не розглядається.
state-undelivered = На повідомлення відповіли, але відповідь не дійшла.

# Коли невідомо, чи щось дійшло

delivery-again = Можливо, ви це вже отримали:
alert-said-again = Там написали знову, тож його надіслано ще раз із приміткою.
alert-arrived = Воно таки дійшло.

# Що хост помічає за собою

alert-suspect =
    Хост завершився { $deaths ->
        [one] { $deaths } раз
        [few] { $deaths } рази
       *[many] { $deaths } разів
    } під час тієї самої роботи ({ $kind } { $key }{ $chat ->
        [none] { "" }
       *[other] , чат { $chat }
    }). Можливо, причина саме в ній, тому до наступної спроби вона зачекає { $minutes ->
        [one] { $minutes } хвилину
        [few] { $minutes } хвилини
       *[many] { $minutes } хвилин
    }. `/stop` у тому чаті скасує її.
alert-clock-apart = Годинник цієї машини розходиться з годинником бази даних на { $seconds } с. Час береться з бази даних; налаштуйте годинник машини (timedatectl set-ntp true).
alert-aside = Одне повідомлення до { $bot } не вдалося прийняти, тож його відкладено разом із помилкою: `nanoclaw telegram aside` покаже його. Решту чути.
error-host-ill = хост не може прийняти жодного повідомлення ({ $said }); доки це не виправлено, мережі нічого не підтверджується. Причина в журналі; `nanoclaw doctor` пошукає її.
error-telegram-connecting = ще немає з'єднання з Telegram, нікого не чути.
error-telegram-aside = { $count ->
    [one] { $count } сьогоднішнє оновлення не вдалося прийняти
    [few] { $count } сьогоднішні оновлення не вдалося прийняти
   *[other] { $count } сьогоднішніх оновлень не вдалося прийняти
}: їх показує `nanoclaw telegram aside`.
error-telegram-deaf = від Telegram уже { $seconds } с нічого не чути.
error-update-fails = повідомлення не вдалося прийняти ({ $said }); буде ще спроба.

# Що в описі команди стоїть замість чогось.
usage-area = РОЗДІЛ
usage-batch = ПАКЕТ
usage-choice = ВАРІАНТ
usage-code = КОД
usage-company = КОМПАНІЯ
usage-count = СКІЛЬКИ
usage-group = ГРУПА
usage-id = ІД
usage-name = НАЗВА
usage-note = ПРИМІТКА
usage-numbers = НОМЕРИ
usage-permit = ДОЗВІЛ
usage-person = ЛЮДИНА
usage-purpose = НАВІЩО
usage-question = ЗАПИТАННЯ
usage-request = ЗАПИТ
usage-run = ЗАПУСК
usage-step = КРОК
usage-subject = ТЕМА
usage-target = КУДИ
usage-task = ЗАДАЧА
usage-text = ТЕКСТ
usage-transfer = ПЕРЕНЕСЕННЯ
usage-what = ЩО
usage-when = КОЛИ
usage-word = СЛОВО
usage-words = СЛОВА
