# Сторінка інтерактивних сесій. Тексти використовують скрипти сторінки, тому змінні прості, без вибору форм.

console-sessions = Сесії
console-sessions-about = Хтось просить вас попрацювати над чимось разом з агентом і самостійно підбити підсумок. Важить лише ваш підсумок.
console-sessions-none = Жодна сесія на вас не чекає. Попросити про неї можуть агенти, конвеєри та програми.
console-sessions-earlier = Раніше
console-sessions-asked = Запит

console-session-wants-approval = Схвалити або відхилити
console-session-wants-selection = Вибрати одне
console-session-wants-freeform = Написати результат
console-session-wants-structured = Заповнити форму
console-session-new = ще не відкрита
console-session-opened = триває
console-session-left = залишилося { $left }
console-session-warned = Час вийшов: підбийте підсумок протягом хвилини
console-session-enter = Відкрити сесію

console-session-request = Запит
console-session-chat = Чат
console-session-terminal = Термінал
console-session-files = Файли
console-session-files-changed = Змінені файли: { $count }
console-session-xml = Як це бачить агент, що запитав
console-session-cancel-title = Відкликати цю сесію?
console-session-cancel-sentence = Підбити її підсумок більше ніхто не зможе. Тому, хто запитав, скажемо, що нічого не вирішено.

console-session-open-hint = Сесія почнеться, коли ви її відкриєте: агент прочитає запит, і ви працюватимете над ним разом.
console-session-open-chat = Відкрити сесію тут
console-session-or-terminal = Або відкрийте її в терміналі, де видно власний екран агента.
console-session-never-opened = Цю сесію ніхто не відкривав.
console-session-over = Сесію завершено. Писати сюди більше не можна.

console-session-files-none = Відколи сесію відкрито, нічого не змінилося.
console-session-files-again = Поглянути ще раз
console-session-files-later = Коли сесію буде відкрито, тут з’являться файли, які в ній змінено.
console-session-file-added = новий
console-session-file-changed = змінено
console-session-file-removed = вилучено
console-session-file-unread = Різницю показати не можна: це не текст, або він задовгий.

console-session-connecting = З’єднуємося …
console-session-watching = Зараз тут друкує хтось інший. Ви спостерігаєте; коли цей хтось піде, клавіатура буде ваша.
console-session-terminal-over = Термінал завершив роботу.
console-session-terminal-again = Відкрити термінал знову

console-session-conclusion = Підсумок
console-session-conclude = Підбити підсумок
console-session-approve = Схвалити
console-session-reject = Відхилити
console-session-notes = Примітки (за бажанням)
console-session-choose = Спершу виберіть одне з цього.
console-session-text = Ваш підсумок
console-session-leaning-approved = Зі сказаного схоже на «так». Вирішуєте ви.
console-session-leaning-rejected = Зі сказаного схоже на «ні». Вирішуєте ви.
console-session-attempts = Підсумок не підійшов. Залишилося спроб: { $count }
console-session-look-again = Спершу погляньте на позначені поля.
console-session-field-missing = Заповніть це поле.
console-session-field-least = Щонайменше { $number }
console-session-field-most = Щонайбільше { $number }
console-session-field-short = Щонайменше символів: { $count }
console-session-field-whole = Ціле число
console-session-field-form = Має виглядати так: { $form }
console-session-keys = Клавіші для термінала
console-session-list-hint = По одному в рядку
console-session-said = { $name } каже:
console-session-not-chosen = (не вибрано)
console-session-as-json = Записати як JSON
console-session-as-form = Назад до форми
console-session-json = Підсумок як JSON
console-session-not-json = «{ $name }» — ще не JSON. Перевірте лапки, коми та дужки.
console-session-schema = JSON Schema, якій він має відповідати

console-session-by = Хто вирішив
console-session-after = Через
console-session-worked = Час у сесії
console-session-error = Що пішло не так
console-session-transcript = Що було сказано в сесії

session-approved = Схвалено
session-rejected = Відхилено
asker-agent = агент
asker-program = програма
error-terminal-frame = Термінал отримав щось, чого не розуміє. Відкрийте його знову.
error-no-terminal = Агент цієї сесії не має термінала. Працюйте з ним у чаті.
