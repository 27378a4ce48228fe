# Що знає компанія: команди пам'яті, її сторінка і пам'ять чату.

command-chat-memory = що агенти тут можуть робити з пам'яттю своєї компанії
memory-mode-off = агенти не користуються пам'яттю і не змінюють її
memory-mode-read = агенти користуються пам'яттю, але нічого не змінюють
memory-mode-write = агенти користуються пам'яттю і запам'ятовують
audit-memory-set = змінено пам'ять чату «{ $chat }»: було { $before }, стало { $after }
help-chats-memory = Що агенти чату можуть робити з пам'яттю своєї компанії.
help-memory-mode = off: не користуються нею і не змінюють її. read: лише читають. write: читають і запам'ятовують.
console-chats-memory = Пам'ять
console-memory-mode-write = Агенти читають і запам'ятовують
console-memory-mode-read = Агенти лише читають
console-memory-mode-off = Вимкнено

command-memory = що компанія про щось знає
command-decisions = що вирішено
command-remember = запам'ятати щось
command-correct = виправити запам'ятане
command-forget = забути щось

memory-kind-fact = факт
memory-kind-decision = рішення
memory-kind-preference = вподобання
memory-kind-priority = пріоритет
memory-kind-activity = подія
memory-kind-context = контекст
memory-hearsay = з чужих слів
memory-public = публічне
memory-expired = застаріле
memory-found = Знайдено:
memory-found-none = За цими словами нічого немає.
memory-newest = Найновіше:
memory-newest-none = Поки що лише події.
memory-decisions = Вирішено:
memory-decisions-none = Такого рішення немає.
memory-empty = { $company } ще нічого не пам'ятає. Напишіть `/remember` і що запам'ятати.
memory-counts = { $company } пам'ятає { $total ->
        [one] { $total } річ
        [few] { $total } речі
       *[other] { $total } речей
    }: { $kinds }.
memory-much = { $company } пам'ятає понад { $total } речей.
memory-count-fact = { $count ->
        [one] { $count } факт
        [few] { $count } факти
       *[other] { $count } фактів
    }
memory-count-decision = { $count ->
        [one] { $count } рішення
        [few] { $count } рішення
       *[other] { $count } рішень
    }
memory-count-preference = { $count ->
        [one] { $count } вподобання
        [few] { $count } вподобання
       *[other] { $count } вподобань
    }
memory-count-priority = { $count ->
        [one] { $count } пріоритет
        [few] { $count } пріоритети
       *[other] { $count } пріоритетів
    }
memory-count-activity = { $count ->
        [one] { $count } подія
        [few] { $count } події
       *[other] { $count } подій
    }
memory-kept-fact = Запам'ятано: `{ $id }`.
memory-kept-decision = Запам'ятано як рішення: `{ $id }`. Агенти його дотримуються.
memory-kept-preference = Запам'ятано як вподобання: `{ $id }`.
memory-kept-priority = Запам'ятано як пріоритет: `{ $id }`.
memory-corrected = Виправлено, тепер це `{ $id }`. Було: { $old }
memory-forgotten = Забуто: { $old } Адміністратор може повернути це на сторінці «Пам'ять» або командою `{ $command } memory restore { $id }`.
memory-proposed = Це вирішує адміністратор. Його запитано про таке: { $old }
error-remember-how = Напишіть після команди, що запам'ятати: /remember Відправляємо щоп'ятниці. Рішення починається з «рішення:».
error-correct-how = Напишіть, що виправити і як правильно: /correct k3v9 Відправляємо щоп'ятниці. Знайти запис можна так: /memory і кілька слів.
error-forget-how = Напишіть, що забути: /forget k3v9. Знайти запис можна так: /memory і кілька слів.
error-memory-here-off = У цьому чаті пам'ять вимкнено. Змінити це може адміністратор: /chat_memory write.
error-memory-here-read = У цьому чаті пам'ять можна лише читати. Змінити це може адміністратор: /chat_memory write.
error-memory-no-agent = Ви не учасник жодної групи агентів у цьому чаті, тож пам'яті, яку можна переглянути, немає.
