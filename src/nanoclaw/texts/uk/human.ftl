# Запитання до людей: картки, нагадування, що з них вийшло, команди, дозволи та відмови.

question-head-approval = 🔔 **Потрібне ваше рішення**
question-head-choice = 🔔 **Потрібне ваше рішення**
question-head-input = ✍️ **Потрібна ваша відповідь**
question-head-review = 📄 **Перегляньте, будь ласка**
question-head-escalation = 🆘 **Агент не знає, як діяти далі**
question-head-interactive-session = 🧑‍💻 **Потрібна спільна сесія з вами**
question-risk-publish = 📣 *Це щось опублікує.*
question-risk-destructive = ⚠️ *Це щось знищить, і цього не повернути.*
question-write = ✍️ Відповідайте своїми словами: на це повідомлення або наступним повідомленням тут.
question-write-reply = ✍️ Відповідайте своїми словами на це повідомлення.
question-time-wanted = Коли саме? Напишіть час, наприклад: завтра о 9:00
question-time-alone = ✍️ Коли саме? Напишіть тут, наприклад: завтра о 9:00, у п'ятницю о 18:30, через 2 години, 2027-03-02 08:00
question-time-reply = ✍️ Коли саме? Дайте відповідь на це повідомлення, наприклад: завтра о 9:00, у п'ятницю о 18:30, через 2 години, 2027-03-02 08:00
error-question-time-unclear = Не вдалося зрозуміти «{ $text }» як один час. Напишіть, наприклад: завтра о 9:00, у п'ятницю о 18:30, через 2 години, 2027-03-02 08:00.
error-question-needs-time = Для іншого часу напишіть, коли саме, наприклад: завтра о 9:00
question-deadline = ⏰ Автоматично: { $default } через { $left } ({ $time })
question-deadline-nothing = ⏰ Відкрито { $left }, до { $time }. Без відповіді нічого не буде вирішено.
question-cut = 📄 На цій картці немає { $hidden } із { $whole } символів: { $names }. Усе є в документі { $file } вище та у вхідних.
question-marks = 🔍 `⟨U+…⟩` стоїть замість знака, якого на екрані не видно або який схожий на інший. Перш ніж погодитися, придивіться.
question-seen = 📄 Немає на цій картці: { $names }, символів: { $hidden }. Це слово в слово те, на що тут уже була згода ({ $by }, { $time }). Усе є в документі { $file }, що прийшов тоді, та у вхідних.
question-part-template = шаблон
question-part-decisions = рішення
question-part-prompt = решта запитання
question-part-diff = решта різниці
question-part-context = решта показаного
question-foot = `{ $id }` · { $who }
question-votes = 👥 Мають погодитися: { $needed }. Поки що: { $given }
question-chosen = 👤 *{ $name }: { $label }, { $time }*
question-chosen-and-said = 👤 *{ $name }: { $label }, { $time }:* { $said }
question-answered = 👤 *{ $name }, { $time }:* { $said }
question-timeout = ⏰ *Timeout: { $time }. Обрано: { $label } (за замовч.; ніхто не вирішував)*
question-timeout-nothing = ⏰ *Timeout: { $time }. Ніхто не відповів, нічого не вирішено.*
question-cancelled = ✖️ *Відкликано: { $time }*
question-reminder = ⏰ Чекаю на ваше рішення...
question-reminder-cut = Ще { $hidden } символів на картці вище.
question-reminder-last = ⏰ Останнє нагадування. Автовибір через { $left }
question-taken = Записано: { $label }
question-not-heard = Не вдалося розібрати сказане. Напишіть відповідь або скажіть ще раз.
vote-counted = Враховано: { $given } з { $needed }. Мають погодитися й інші.
button-ask-again = 🔁 Запитати ще раз
span-seconds = { $count ->
        [one] { NUMBER($count, useGrouping: 0) } секунду
        [few] { NUMBER($count, useGrouping: 0) } секунди
       *[many] { NUMBER($count, useGrouping: 0) } секунд
    }
span-minutes = { NUMBER($count, useGrouping: 0) } хв
span-hours = { NUMBER($count, useGrouping: 0) } год
span-days = { $count ->
        [one] { NUMBER($count, useGrouping: 0) } день
        [few] { NUMBER($count, useGrouping: 0) } дні
       *[many] { NUMBER($count, useGrouping: 0) } днів
    }

option-approve = ✅ Схвалити
option-reject = ❌ Відхилити
option-now = Зараз
option-tomorrow = Завтра о 9:00
option-monday = Понеділок 9:00
option-custom = Інший час
option-pass = ✅ Прийняти
option-fix-minor = ✏️ Дрібні правки
option-rework = 🔁 Переробити
option-proceed = ✅ Продовжити
option-adjust = ✏️ Змінити
option-cancel = ❌ Скасувати
option-once = ✅ Один раз
option-session = ✅ Для цієї сесії
option-always = ✅ Завжди

tool-question = Агент хоче скористатися **{ $tool }** саме з такими аргументами:

command-inbox = запитання, що чекають на вас
command-decide = вирішити запитання
command-away = поки вас немає, вирішує хтось інший
command-back = ви повернулися
command-quiet = години без звуку
command-permits = що агентам дозволено без запитань
command-revoke = відкликати дозвіл
inbox-head = Запитання, що чекають на вас:
inbox-head-none = Ніщо не чекає на ваше рішення.
inbox-line = - `{ $id }` { $question } · { $options } · до { $time }
permits-head = Що агентам дозволено без запитань:
permits-head-none = Дозволів немає: про все, що названо в правилах, питають щоразу.
permit-line = - `{ $id }` { $group }: { $what } · { $scope ->
        [once] один раз
        [session] в одній сесії
       *[always] завжди
    } · { $name } · до { $until }
permit-revoked = Відкликано: { $what }
away-set = Вас немає до { $time }, доти вас не питатимуть. За вас ніхто не вирішує: когось призначає `/away until monday @other`.
away-set-with = Вас немає до { $time }. За вас вирішує { $name }.
away-not = Ви на місці. `/away until monday @other` дозволить комусь вирішувати за вас.
away-back = З поверненням. Вас знову питатимуть.
quiet-now = Тихі години: { $hours }. Картки приходять без звуку, нагадування чекають.
quiet-not = Тихих годин немає. Їх задає `/quiet 22:00-07:00`.

why-question-asked = Агент запитав людей: { $question } ({ $id })
why-question-decided = { $status ->
        [completed] { $name } вирішує: { $chosen }
        [timeout] Вчасно ніхто не вирішив; за замовчуванням: { $chosen }
        [failed] Запитання ні до чого не привело
       *[cancelled] Запитання відкликано
    }
why-answer-brought = { $status ->
        [completed] Відповідь розбудила агента: { $name }
        [timeout] Агента розбуджено: ніхто не відповів
       *[cancelled] Агента розбуджено: запитання відкликано
    }
why-answers = Це відповідь на запитання: { $question }
audit-question-completed = рішення щодо «{ $question }»: { $chosen }
audit-question-timeout = ніхто вчасно не вирішив «{ $question }»; за замовчуванням: { $chosen }
audit-question-cancelled = відкликано «{ $question }»
audit-question-failed = «{ $question }» ні до чого не привело
audit-away = немає до { $until }{ $delegate ->
    [none] {""}
   *[other] ; замість: { $delegate }
 }
audit-back = повернення
audit-permit-revoked = відкликано дозвіл на { $tool } ({ $rule }) у { $group }

error-no-such-question = Запитання { $id } немає. Відкриті показує /inbox у чаті або nanoclaw inbox.
error-question-not-as-shown = Це вже не те, що показує картка, тому нічого не вирішено. Той, хто питав, має спитати знову.
error-question-forbidden = Це не вам вирішувати: вирішують власники та адміністратори групи агента.
error-no-such-option = Варіанта { $choice } немає. Є: { $known }.
error-question-needs-option = Оберіть один із: { $known }.
error-question-late-timeout = Час минув, тож це вирішено автоматично: { $label }, { $time }. Запитати ще раз?
error-question-late-nothing = Час минув ({ $time }), нічого не вирішено. Запитати ще раз?
error-question-late-decided = Вже вирішено: { $label } ({ $name }, { $time }).
error-question-late-cancelled = Це запитання відкликано ({ $time }).
error-question-asked-again = Вже запитано ще раз; дивіться новішу картку.
error-decide-how = Напишіть запитання й варіант: /decide ab12c approve
error-away-to-oneself = Це ви. Назвіть когось іншого або нікого: /away until monday
error-no-such-permit = Дозволу { $id } немає. Наявні показує /permits у чаті або nanoclaw permits.
error-permit-which = Який дозвіл? Допишіть його номер після команди, як його показує /permits.
error-not-a-session = Це не інтерактивна сесія: її не завершують, а вирішують.
error-session-not-over = Сесію завершують як completed, cancelled, timeout або failed.
error-away-to-stranger = { $name } не має тут ролі. Спершу зробіть цю людину учасником групи агентів або назвіть когось іншого.
error-question-not-timed-out = Ще раз запитати можна лише те, на що вчасно не відповіли.
reason-not-heard = голос не вдалося розібрати
question-reminder-end = ⏰ Останнє нагадування. Час спливає через { $left }.
question-failed = ✖️ *Ні до чого не привело: { $time }*
error-question-late-failed = Це ні до чого не привело ({ $time }).
crossing-asked = Агент компанії { $own } хоче скористатися { $tool } для { $target }, а це інша компанія: { $company }.
tool-asked = Агент хоче скористатися { $tool }: { $what }
tool-asked-check = Агент хоче, щоб задача сама виконувала команду: { $what }
tool-runs-later = ⏰ як перевірка задачі: запускається сама щоразу перед нею
tool-file = 📄 { $path } · { NUMBER($size, useGrouping: 0) } Б · sha256 { $hash }
tool-file-big = 📄 { $path } · { NUMBER($size, useGrouping: 0) } Б · завеликий, щоб читати; зміну буде помічено
tool-files-more = 📄 і ще { $count ->
        [one] { NUMBER($count, useGrouping: 0) } файл
        [few] { NUMBER($count, useGrouping: 0) } файли
       *[many] { NUMBER($count, useGrouping: 0) } файлів
    }
away-back-not = Ви й не відлучалися.
inbox-words = своїми словами
error-question-needs-words = Тут немає варіантів: дайте відповідь своїми словами.
