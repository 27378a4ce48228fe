# Що знає компанія: команди пам'яті, її сторінка і пам'ять чату.

command-chat-memory = що агенти тут можуть робити з пам'яттю своєї компанії
memory-mode-off = агенти не користуються пам'яттю і не змінюють її
memory-mode-read = агенти користуються пам'яттю, але нічого не змінюють
memory-mode-write = агенти користуються пам'яттю і запам'ятовують
audit-memory-set = змінено пам'ять чату «{ $chat }»: було { $before }, стало { $after }
help-chats-memory = Що агенти чату можуть робити з пам'яттю своєї компанії.
help-memory-mode = off: не користуються нею і не змінюють її. read: лише читають. write: читають і запам'ятовують.
console-chats-memory = Пам’ять
console-memory-mode-write = Читають і запам’ятовують
console-memory-mode-read = Лише читають
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
memory-decisions-none = Рішень не знайдено.
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
memory-left-out = 🔒 Пам'ять не зберігає секретів і особистих даних: замість них там { $marks }. У вашому повідомленні вони лишилися: видаліть його, якщо цей чат читають інші.
memory-corrected = Виправлено, тепер це `{ $id }`. Було: { $old }
memory-forgotten = Забуто: { $old }

    Адміністратор може повернути це на сторінці «Пам'ять» або командою `{ $command } memory restore { $id }`.
memory-proposed = Це вирішує адміністратор. Його запитано про таке: { $old }
error-remember-how = Напишіть після команди, що запам'ятати: /remember Відправляємо щоп'ятниці. Рішення починається з «рішення:».
error-correct-how = Напишіть, що виправити і як правильно: /correct k3v9 Відправляємо щоп'ятниці. Знайти запис можна так: /memory і кілька слів.
error-forget-how = Напишіть, що забути: /forget k3v9. Знайти запис можна так: /memory і кілька слів.
error-memory-here-off = У цьому чаті пам'ять вимкнено. Змінити це може адміністратор: /chat_memory write.
error-memory-here-read = У цьому чаті пам'ять можна лише читати. Змінити це може адміністратор: /chat_memory write.
error-memory-no-agent = Ви не учасник жодної групи агентів у цьому чаті, тож пам'яті, яку можна переглянути, немає.

# У командному рядку

help-memory = Що знають компанії: знайти, виправити, забути, відкликати й доглянути за файлами.
help-memory-search = Знайти за словами; без слів: найновіше.
help-memory-words = Що шукати.
help-memory-kind = fact (факт), decision (рішення), preference (вподобання), priority (пріоритет) або activity (подія).
help-memory-topic = Тема.
help-memory-domain = Сфера, як-от marketing чи sales.
help-memory-person = Хто це сказав: ідентифікатор, @ім'я або номер.
help-memory-source = Звідки це, як-от telegram чи web.
help-memory-trusted = Лише сказане учасниками або лише з чужих слів.
help-memory-since = Починаючи з: 2026-11-16, "2026-11-16 08:00" або 3d тому.
help-memory-until = До цього часу.
help-memory-past = Також виправлене, забуте й застаріле.
help-memory-offset = Пропустити стільки перших.
help-memory-company = Компанія. Якщо не назвати: компанія головної групи агентів.
help-memory-show = Історія запису: хто сказав, де, що він замінив, у яких запитах його використано.
help-memory-id = Запис: ідентифікатор або його останні літери, щонайменше чотири.
help-memory-stats = Скільки компанія пам'ятає і де це лежить.
help-memory-add = Запам'ятати щось.
help-memory-text = Що запам'ятати.
help-memory-public = Можна казати незнайомцям.
help-memory-expires = До якого часу це діє, як-от 2026-12-31.
help-memory-correct = Замінити запис правильним.
help-memory-forget = Забути запис. Повертає його "restore".
help-memory-restore = Повернути забуте або скасувати виправлення.
help-memory-revert = Відкликати все, що прийшло з одного ходу, від однієї людини чи з певного часу. Спершу показує, що саме.
help-memory-revert-turn = Хід, як його називають "memory show" і "why".
help-memory-revert-person = Людина: ідентифікатор, @ім'я або номер.
help-memory-revert-since = Усе, починаючи з цього часу.
help-memory-yes = Не перепитувати.
help-memory-import = Запам'ятати вміст файлу: рядки JSON або Markdown чи текст, де кожен рядок окремий запис.
help-memory-file = Файл; - означає стандартний ввід.
help-memory-preview = Лише сказати, що буде взято.
help-memory-verify = Перевірити файли й індекс. Якщо щось не так, код завершення 1.
help-memory-compact = Упорядкувати файли зараз: повтори, застаріле, архів.
help-memory-rebuild = Побудувати індекс із файлів заново.
help-memory-purge = Справді видалити запис: з файлів, індексу й локальної історії git. Повернути його буде неможливо.
help-memory-purge-confirm = Повний ідентифікатор ще раз, замість набирати його.
help-memory-quarantine = Рядки, які не вдалося використати, з причиною.
help-memory-change = Рядок за ідентифікатором зі списку.
help-memory-drop = Викинути такий рядок.
help-memory-mend = Додати такий рядок, виправивши його.
help-memory-line = Яким має бути рядок: об'єкт JSON або звичайні слова для факту.

memory-state-live = чинне
memory-state-superseded = замінене
memory-state-forgotten = забуте
memory-of-company = Компанія
memory-of-domain = Сфера
memory-of-related = Про що
memory-of-source = Звідки
memory-of-expires = Діє до
memory-of-file = Файл
memory-of-said = Сказано
memory-of-replaced = Замінює
memory-of-replaced-by = Замінено на
memory-of-used = Використано в { $count ->
        [one] { $count } запиті:
       *[other] { $count } запитах:
    }
memory-of-line = Рядок
memory-act-add = запам'ятано
memory-act-correct = виправлено
memory-act-forget = забуто
memory-act-restore = повернено
memory-act-purge = видалено назавжди
memory-act-activity = занотовано
memory-act-section = записано до CLAUDE.md
memory-change-asked = чекає на адміністратора
memory-change-waiting = записується
memory-change-written = записано
memory-change-quarantined = у карантині
memory-change-refused = відхилено
memory-added = Запам'ятано:
memory-done-correct = Виправлено:
memory-done-forget = Забуто. Повернути: { $command } memory restore { $id }
memory-done-restore = Повернено:
memory-result-waiting = { $id } прийнято; буде записано, щойно дійде черга.
memory-result-asked = { $id } чекає на рішення: { $command } inbox
memory-result-quarantined = { $id } потрапив до карантину: { $why }
memory-result-refused = { $id } відхилено: { $why }
memory-stats = { $company } пам'ятає { $live ->
        [one] { $live } річ:
        [few] { $live } речі:
       *[other] { $live } речей:
    }
memory-stats-hearsay = З них із чужих слів: { $count }
memory-stats-public = З них публічних: { $count }
memory-stats-waiting = Ще не записано: { $count }
memory-stats-quarantined = У карантині: { $count }. Переглянути: { $command } memory quarantine
memory-stats-lines = { $count ->
        [one] { $count } рядок
        [few] { $count } рядки
       *[other] { $count } рядків
    }
memory-revert-none = Звідти нічого не прийшло.
memory-revert-sure = Відкликати { $count ->
        [one] { $count } запис?
        [few] { $count } записи?
       *[other] { $count } записів?
    } (т/Н)
memory-revert-not = Нічого не змінено. З --yes це буде зроблено.
memory-reverted = Відкликано { $count ->
        [one] { $count } запис.
        [few] { $count } записи.
       *[other] { $count } записів.
    }
memory-imported = Взято { $taken ->
        [one] { $taken } запис;
        [few] { $taken } записи;
       *[other] { $taken } записів;
    } уже відомо: { $known }.
memory-imported-preview = Буде взято { $taken ->
        [one] { $taken } запис;
        [few] { $taken } записи;
       *[other] { $taken } записів;
    } уже відомо: { $known }.
memory-imported-not = Рядок { $line } пропущено: { $why }
memory-verified = Пам'ять { $company } справна: { $entries ->
        [one] { $entries } запис.
        [few] { $entries } записи.
       *[other] { $entries } записів.
    }
memory-verified-not = У пам'яті { $company } { $count ->
        [one] { $count } вада.
        [few] { $count } вади.
       *[other] { $count } вад.
    }
memory-rebuilt = Індекс { $company } побудовано заново: { $entries ->
        [one] { $entries } запис.
        [few] { $entries } записи.
       *[other] { $entries } записів.
    }
memory-purge-sure = Скасувати це буде неможливо. Щоб видалити назавжди, наберіть { $id }:
memory-purge-not = Це не той ідентифікатор. Нічого не видалено.
memory-purged = { $id } видалено.
memory-purge-still = Ті самі слова є в { $where }; приберіть їх там самі.
memory-purge-history = В історії git ці слова ще є: { $why }
memory-purge-remote = На віддаленому сервері git ці слова ще є. Щоб видалити їх і там:
memory-quarantine-none = У карантині нічого немає.
memory-dropped = Викинуто.
error-memory-no-time = «{ $time }» не схоже на час. Напишіть 2026-11-16, "2026-11-16 08:00" або проміжок, як-от 3d.
error-memory-cannot-read = Не вдалося прочитати { $file }: { $said }
error-memory-file-big = { $file } більший за { $megabytes } МБ. Розділіть його.
error-memory-purge-confirm = Видалення назавжди не скасувати. Повторіть ідентифікатор: --confirm { $id }
error-memory-not-in-quarantine = Цього рядка вже немає в карантині.
error-memory-line-bad = Рядок усе ще не можна використати: { $why }
error-memory-no-company = Компанії { $company } немає. Відомі: { $known }.
audit-memory-line-dropped = викинуто рядок пам'яті { $company }, який не вдалося використати
audit-memory-line-mended = виправлено рядок пам'яті { $company }, який не вдалося використати

# На сторінці

console-memory = Пам’ять
console-memory-entries = Записи
console-memory-notes = CLAUDE.md
console-memory-quarantine = Карантин
console-memory-company = Компанія
console-memory-words = Шукати в тому, що знає компанія
console-memory-filters = Фільтри
console-memory-any = Будь-що
console-memory-kind = Вид
console-memory-kind-fact = Факт
console-memory-kind-decision = Рішення
console-memory-kind-preference = Вподобання
console-memory-kind-priority = Пріоритет
console-memory-kind-activity = Подія
console-memory-kind-context = Контекст
console-memory-trust = Довіра
console-memory-trusted-yes = Сказали учасники
console-memory-trusted-no = З чужих слів
console-memory-topic = Тема
console-memory-person = Людина
console-memory-source = Джерело
console-memory-since = Від
console-memory-until = До
console-memory-past = Також виправлене, забуте й застаріле
console-memory-clear = Скинути фільтри
console-memory-found-none = Нічого не знайдено.
console-memory-none = Компанія ще нічого не пам’ятає. Поговоріть з агентами або додайте щось.
console-memory-state-superseded = Замінене
console-memory-state-forgotten = Забуте
console-memory-expired = Застаріле
console-memory-hearsay = З чужих слів
console-memory-binding = Обов’язкове
console-memory-public = Публічне
console-memory-add = Додати
console-memory-add-title = Запам’ятати щось
console-memory-text = Що запам’ятати
console-memory-public-tick = Можна казати незнайомцям
console-memory-correct = Виправити
console-memory-correct-text = Як правильно
console-memory-correct-save = Зберегти
console-memory-forget = Забути
console-memory-undo-forgotten = Повернути
console-memory-undo-superseded = Скасувати виправлення
console-memory-told-add = Запам’ятано.
console-memory-told-correct = Виправлено.
console-memory-told-forget = Забуто. Це можна повернути.
console-memory-told-restore = Повернено.
console-memory-told-drop = Рядок викинуто.
console-memory-result-waiting = Прийнято; за мить буде записано.
console-memory-result-asked = Чекає на рішення у вхідних.
console-memory-result-quarantined = Потрапило до карантину.
console-memory-result-refused = Відхилено.
console-memory-entry = Що пам’ятають
console-memory-message = Де це сказано
console-memory-of-id = Ідентифікатор
console-memory-of-company = Компанія
console-memory-of-who = Хто сказав
console-memory-of-trust = Довіра
console-memory-of-when = Коли
console-memory-of-domain = Сфера
console-memory-of-topic = Тема
console-memory-of-related = Про що
console-memory-of-source = Звідки
console-memory-of-confidence = Певність
console-memory-of-expires = Діє до
console-memory-of-file = Файл
console-memory-trust-owner = Це сказав власник
console-memory-trust-member = Це сказав учасник
console-memory-trust-hearsay = З чужих слів: від незнайомця, з файлу, сторінки чи інструмента
console-memory-replaced = Що це замінило
console-memory-replaced-by = Чим це замінено
console-memory-changes = Що з цим було
console-memory-act-add = запам’ятано
console-memory-act-correct = виправлено
console-memory-act-forget = забуто
console-memory-act-restore = повернено
console-memory-act-purge = видалено назавжди
console-memory-act-activity = занотовано
console-memory-act-section = записано до CLAUDE.md
console-memory-change-asked = чекає на адміністратора
console-memory-change-waiting = записується
console-memory-change-quarantined = у карантині
console-memory-change-refused = відхилено
console-memory-uses = У яких запитах використано
console-memory-uses-none = Ще в жодному.
console-memory-line = Сам рядок
console-memory-notes-sentence = Що агенти компанії завжди мають на увазі. Файл можна правити самому:
console-memory-notes-none = Файлу CLAUDE.md немає. Його створить перша нотатка.
console-memory-notes-empty = Поки що нічого.
console-memory-quarantine-sentence = Рядки, які не вдалося використати, лежать тут такими, як прийшли, поки ви їх не виправите чи не викинете.
console-memory-quarantine-none = У карантині нічого немає.
console-memory-raw = Рядок, яким він прийшов
console-memory-mend = Виправити й додати
console-memory-mend-line = Яким має бути рядок: об’єкт JSON або звичайні слова для факту
console-memory-mend-save = Додати
console-memory-drop = Викинути
console-memory-drop-title = Викинути цей рядок?
console-memory-drop-sentence = Його ніколи не використовували, і більше ніде його немає.

# Чому і що зроблено

memory-reason-dropped = { $name } викидає цей рядок.
memory-reason-mended = Виправлено й додано як { $id }.
memory-reason-declined = З цим не погодилися.
memory-reason-conflict = Це суперечить { $id }.
memory-reason-masked = Приховано: { $kinds }.
memory-line-encoding = Рядок не в UTF-8.
memory-line-json = Рядок не є JSON.
memory-line-shape = Рядок не є ні фактом, ні рішенням.
memory-line-field = Поля бракує або в ньому щось інше: { $field }.
memory-line-empty = У ньому нічого не сказано: поле { $field } порожнє.
memory-line-long = Рядок надто довгий.
memory-line-torn = Бракує кінця рядка.
memory-line-not-a-file = На місці файлу посилання, канал або тека.
memory-line-company-gone = Теки компанії вже немає.
memory-line-other = Використати це не вдалося ({ $fault }).
memory-under-way = Це триває і завершиться у фоні.
memory-compacted = Догляд за пам'яттю { $company }: повторів { $doubles }, застарілих { $expired }, в архів { $archived }.
error-memory-purge-failed = Видалити не вдалося: { $why }
error-several-memories = На { $id } закінчується кілька записів: { $known }. Напишіть більше літер.

memory-problem-bad-line = { $detail }
memory-problem-repeated-id = Ідентифікатор { $id } стоїть двічі з різними словами; діє перший рядок.
memory-problem-repeated-line = Той самий рядок стоїть двічі ({ $id }); він рахується один раз.
memory-problem-unknown-id = { $id } посилається на { $detail }, а такого немає.
memory-problem-future = У { $id } час із майбутнього.
memory-problem-purged = { $id } було видалено назавжди, але він з'явився знову.
memory-problem-not-indexed = { $id } є у файлах, але не в індексі. Виправити: { $command } memory rebuild
memory-problem-not-in-files = { $id } є в індексі, але не у файлах. Виправити: { $command } memory rebuild
memory-problem-sections-big = CLAUDE.md довший, ніж має бути: { $detail }.
memory-problem-sections-unreadable = CLAUDE.md неможливо прочитати.
audit-memory-imported = взято записів до пам'яті { $company }: { $entries }
