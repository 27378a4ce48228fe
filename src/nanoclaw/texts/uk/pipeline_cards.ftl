# Конвеєри в чаті: картка перед запуском, одне повідомлення про запуск, команди.

option-start = ▶️ Почати

start-asked = Почати **{ $title }**: { $subject }?
start-waits = чекає на людину, щонайбільше { $time }
start-together = водночас із { $steps }
start-estimate = 💰 { $cost } · ⏱ { $time } ({ $runs ->
        [0] за цінами: досі не запускалося
        [one] за { $runs } попереднім запуском
       *[other] за { $runs } попередніми запусками
    })
start-cost-unknown = ціна невідома
start-author = ✍️ У самому шаблоні сказано: { $expected }
start-budget = 🔒 Більше ніж { $budget } не витратить

pipeline-card-asked = 📋 **{ $title }**: { $subject } · `{ $id }` чекає на ваше «так»
pipeline-card-running = ⚙️ **{ $title }**: { $subject } · `{ $id }`
pipeline-card-done = ✅ **{ $title }**, готово: { $subject } · `{ $id }`
pipeline-card-failed = ❌ **{ $title }**, не вдалося: { $subject } · `{ $id }`
pipeline-card-cancelled = ✖️ **{ $title }**, скасовано: { $subject } · `{ $id }`
pipeline-where = Крок { $n } з { $of }
pipeline-where-asked = Крок { $n } з { $of }: чекає на людину
pipeline-approval = схвалення людиною
pipeline-attempt = спроба { $n }
pipeline-faults = ⚠️ зауважень: { $count }
pipeline-steps-before = - … раніше ще { $count ->
        [one] { $count } крок
        [few] { $count } кроки
       *[other] { $count } кроків
    }
pipeline-steps-after = - … і ще { $count ->
        [one] { $count } крок
        [few] { $count } кроки
       *[other] { $count } кроків
    }
pipeline-figures-so-far = 💰 поки що { $cost } · ⏱ { $time }
pipeline-figures = 💰 { $cost } · ⏱ { $time }
pipeline-figures-estimated = { "" } (очікувалося: { $expected })
pipeline-seconds = { $range } с
pipeline-minutes = { $range } хв
pipeline-line = - `{ $id }` { $title }: { $subject } · { $status }{ $where }{ $cost }
pipeline-line-step = , кроків: { $n } з { $of }
pipeline-status-asked = чекає на ваше «так»
pipeline-status-running = триває
pipeline-status-done = готово
pipeline-status-failed = не вдалося
pipeline-status-cancelled = скасовано
