# Шаблони процесів: що в них не так і де.

mistake-allowed = { $said }; можна: { $allowed }

mistake-too-big = Файл більший за { $kilobytes } кБ
mistake-not-utf-8 = Цей рядок не є текстом UTF-8. Збережіть файл у кодуванні UTF-8
mistake-not-text = У цьому рядку є символи, що не є текстом
mistake-unreadable = Файл не вдається прочитати ({ $said })
mistake-no-file = Це не файл
mistake-no-title = У першому рядку немає назви
mistake-title = Назва порожня або задовга
mistake-title-twice = Тут друга назва. Заголовки розділів починаються з ##
mistake-before-title = «{ $said }» стоїть перед назвою
mistake-stray = «{ $said }» не належить до жодного заголовка
mistake-comment-open = Цей коментар не закрито
mistake-unknown-heading = Немає заголовка «{ $said }»
mistake-heading-twice = Заголовок «{ $said }» стоїть тут удруге
mistake-after-steps = «{ $said }» стоїть після «## Steps:». Пишіть кожен крок в окремому рядку під ним
mistake-no-value = «{ $said }» без значення
mistake-no-steps-heading = Немає заголовка кроків
mistake-no-steps = Немає жодного кроку
mistake-many-steps = Забагато кроків
mistake-trigger = «{ $said }» — не команда і не фраза в лапках
mistake-trigger-taken = Команда { $said } уже належить хосту або навичці. Оберіть іншу
mistake-trigger-twice = Команда { $said } уже належить шаблону { $other }. Оберіть іншу

mistake-no-step = «{ $said }» — не крок
mistake-lettered = «{ $said }» — не номер кроку. Кроки нумеруються 1, 2, 3; той, що виконується разом із кроком 2, так і каже
mistake-number-twice = Крок { $said } тут удруге
mistake-number-order = Крок { $said } стоїть там, де очікується крок { $wanted }
mistake-no-role = Немає ролі
mistake-role = «{ $said }» не може бути роллю
mistake-role-long = Роль задовга
mistake-role-unknown = Немає навички «{ $said }»
mistake-role-ambiguous = Навичок із назвою «{ $said }» кілька. Напишіть шлях
mistake-skill-broken = У навичці { $said } є помилка: її покаже `{ $command } doctor`
mistake-empty-part = Між двома рисками нічого немає
mistake-unknown-key = Немає ключа «{ $said }»
mistake-key-twice = «{ $said }» стоїть тут двічі
mistake-key-of-others = Крок типу { $type } не має «{ $said }»
mistake-human-type = HITL — це затвердження людиною
mistake-approval-first = Перед цим кроком ще нема чого затверджувати

mistake-type = «{ $said }» — не тип
mistake-condition = «{ $said }» — не порівняння
mistake-comma = «{ $said }» стоїть окремо після коми. Десяткові дроби пишіть із крапкою
mistake-gate-number = «{ $said }» після { $sign } — не число
mistake-gate-of-text = «{ $said }»: текст можна порівнювати лише знаком =
mistake-gate-never = «{ $said }» ніколи не справдиться
mistake-result-unknown = Навичка { $skill } не дає «{ $said }»
mistake-timeout = «{ $said }» — не проміжок часу
mistake-timeout-long = { $said } — задовго
mistake-on-timeout = «{ $said }» неможливо, коли ніхто не відповідає
mistake-risk = «{ $said }» — не ризик
mistake-session = «{ $said }» не каже, чи це сесія
mistake-session-risk = Сесію підсумовує одна людина, тож ризику в неї бути не може
mistake-outputs = «{ $said }» — не кількість результатів і не назва результату
mistake-outputs-count = Крок не може мати стільки результатів: { $said }
mistake-output-twice = Результат { $said } стоїть тут двічі
mistake-target-unknown = Немає адаптера для результату «{ $said }»
mistake-model = «{ $said }» — не модель
mistake-model-unknown = Немає моделі «{ $said }»
mistake-model-defaults = «{ $said }» не каже, які кроки використовують яку модель
mistake-model-twice = Крок { $said } дістає дві моделі
mistake-retry = «{ $said }» — не кількість повторів
mistake-money = «{ $said }» — не сума грошей
mistake-time = «{ $said }» — не проміжок часу
mistake-range = «{ $said }» закінчується раніше, ніж починається
mistake-input = «{ $said }» — не крок і не файл контексту
mistake-input-approval = Крок { $said } — це затвердження: воно не створює нічого для інших кроків
mistake-no-context-file = Немає файлу { $said }
mistake-with = «{ $said }» — не номер кроку
mistake-with-far = Крок може виконуватися лише разом із тими, що стоять безпосередньо перед ним, а не з кроком { $said }
mistake-with-approval = Поки люди вирішують, інші кроки не виконуються
mistake-step-unknown = Немає кроку { $said }
mistake-itself = `{ $field }` називає сам цей крок: вийшло б коло
mistake-later = `{ $field }` називає крок { $said }, який іде пізніше: вийшло б коло
mistake-beside = `{ $field }` називає крок { $said }, який виконується одночасно
mistake-when-ambiguous = «{ $said }» дає не один попередній крок. Скажіть, який саме
mistake-when-unknown = Жоден попередній крок не дає «{ $said }»
mistake-when-approval = Крок { $said } — це затвердження: результатів воно не дає

error-result-big = Результат більший за { $megabytes } МБ. Скоротіть його.
error-result-not-json = Результат не є об’єктом JSON ({ $said }).
error-result-lacks = У результаті немає `{ $key }` ({ $kind ->
        [number] число
        [list] список текстів
       *[text] текст
    }).
error-result-type = `{ $key }` має бути: { $kind ->
        [number] число
        [list] список текстів
       *[text] текст
    }.
error-result-range = `{ $key }` має бути від { $low } до { $high }.
error-result-no-text = Тексту `{ $name }` немає або він порожній.
error-result-many = Результатів { $count }, а потрібно { $wanted }.

help-pipelines = Конвеєри: шаблони з багатьох кроків.
help-pipelines-check = Перевірити шаблон: код виходу 0, якщо його можна використовувати, 1, якщо в ньому є помилки.
help-pipelines-file = Шаблон: файл у форматі Markdown.

pipelines-sound = У { $file } немає помилок: { $count ->
        [one] { $count } крок
        [few] { $count } кроки
       *[many] { $count } кроків
    }.
pipelines-more = { $count ->
        [one] … і ще { $count } помилка.
        [few] … і ще { $count } помилки.
       *[many] … і ще { $count } помилок.
    }
mistake-thinking = «{ $said }» не каже, скільки думати
