# Що каже в чаті сам хост і як він пояснює долю повідомлення.

help-head = Що тут можна написати:
help-skills = Навички, кожна зі своїм словом:
help-foot = Усе інше отримує агент.
command-help = цей перелік
command-start = привітатися й побачити цей перелік
command-status = що хост робить просто зараз
command-why = історія останнього повідомлення або того, чий номер ви вкажете
command-retry = повторити останнє повідомлення, з яким щось пішло не так
command-language = мова, якою хост говорить з вами
command-timezone = часовий пояс, у якому ви бачите час
start-head = Вітаю, { $name }. Це NanoClaw OS. Пишіть агентові так, як писали б колезі.

order-unknown = Команди /{ $name } немає. Напишіть /help, щоб побачити команди.
order-forbidden = Команда /{ $name } потребує ролі { $role }, а ваша роль — { $yours }.
order-language-set = Відтепер хост говорить з вами українською.
order-language-unknown = Напишіть /language en або /language uk.
order-timezone-set = Час показано за поясом { $zone }; там зараз { $time }.
order-timezone-now = Ваш пояс — { $zone }. Щоб змінити його, напишіть назву, наприклад /timezone Europe/Kyiv.
order-timezone-unknown = Поясу «{ $zone }» немає. Напишіть назву, наприклад /timezone Europe/Kyiv.
order-retry-done = Пробую ще раз.
order-retry-none = Тут усе вдалося, тож повторювати нема чого.
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
why-started-again = почато знову, спроба { $attempt }: хост, що виконував хід, зупинився
why-first-token = надійшло перше слово відповіді
why-finished = відповідь готова (символів: { $length })
why-silent = агент вирішив нічого не казати
why-failed = не вдалося: { $error }
why-retried = людина повернула повідомлення в чергу
why-delivered = доставлено каналом { $channel }
why-delivery-delayed = не вдалося доставити: { $error } Наступна спроба через { $seconds } с
why-delivery-failed = доставку припинено: { $error }
why-delivery-unknown = передано, але відповіді не було; невідомо, чи воно дійшло
why-delivery-retried = буде доставлено знову, бо так попросила людина
why-delivery-dropped = доставляти не треба, вирішила людина

reason-unknown-sender = відправник тут невідомий
reason-not-wired = до цього чату не приєднано жодної групи агентів
reason-empty = повідомлення порожнє
reason-too-long = повідомлення задовге
reason-unknown-command = такої команди немає
reason-forbidden-command = команда потребує іншої ролі
reason-command = обрано командою
reason-default = типова для групи
reason-classified = обрано за змістом повідомлення
reason-missing = навичку групи не знайдено

error-too-many-attempts = роботу починали кілька разів ({ $attempts }), і щоразу хост зупинявся або агент не подавав ознак життя.
error-agent-silent = агент не подавав ознак життя (секунд: { $seconds }).
error-runtime-missing = середовище «{ $runtime }» недоступне.
error-unexpected = неочікувана помилка ({ $said }).
error-chat-gone = чату цієї розмови вже немає.
error-not-connected = канал { $channel } не під'єднано.
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
turn-held = { $reason }

    Ваше повідомлення збережено, відповідь надійде, щойно це стане можливо; писати ще раз не треба.
state-stopped = Людина це зупинила.
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
error-model-unknown = модель "{ $model }" невідома: { $said }
error-model-of-other-vendor = середовище claude-code не може використати модель "{ $model }". Для неї вкажіть runtime = "native" у group.toml або в навичці.
error-key-absent = немає ключа { $vendor }. Додайте його: { $command } key set { $vendor }
error-base-url-absent = постачальнику "local" потрібна адреса: вкажіть agents.base_url у nanoclaw.toml, наприклад "http://localhost:8000/v1".

# Шлюз моделей
error-price-unknown = Ціна моделі { $model } невідома, тому її не запитано. Вкажіть ціну в nanoclaw.toml, у доларах за мільйон вхідних і вихідних токенів: [prices] "{ $model }" = "1.0/5.0"
error-price-unreadable = Не вдалося прочитати [prices] "{ $model }" = "{ $written }". Напишіть долари за мільйон вхідних і вихідних токенів, наприклад "1.0/5.0".
error-budget-spent = Бюджет вичерпано: { $spent } із { $limit } витрачено або зарезервовано, і наступна відповідь може коштувати більше, ніж лишилося. Робота продовжиться, коли скінчиться день чи місяць або коли власник підвищить ліміт.
error-model-not-allowed = Модель { $model } тут не дозволена. Дозволені: { $allowed }.
error-model-outage = Модель від { $vendor } зараз недоступна ({ $said }).
error-model-key-missing = Немає ключа до моделі. Додайте його командою `{ $command } key set` і запустіть хост знову.
error-model-key-refused = Постачальник не прийняв ключ до моделі ({ $said }). Додайте інший командою `{ $command } key set` і запустіть хост знову.
error-network-pattern = «{ $written }» не є хостом, до якого можна дозволити доступ агентові. Напишіть example.com, *.example.com або example.com:8080.
