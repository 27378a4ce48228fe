# Команди про перенесення.

help-transfer = Перенесення: заберіть розмову до Claude.ai, Claude Code чи деінде й поверніть знайдене.
help-transfer-export = Запакувати розмову, показати, що піде назовні й що вилучено, і надіслати.
help-transfer-list = Відкриті перенесення; з --all також попередні.
help-transfer-show = Одне перенесення: що всередині, що вилучено і що повернулося, усе з джерелом.
help-transfer-release = Дозволити надсилання запакованого перенесення.
help-transfer-pick = Узяти файли, які інакше лишилися б тут; пакунок збирається знову.
help-transfer-pick-numbers = Номери файлів, як їх показує `show`.
help-transfer-cancel = Скасувати перенесення.
help-transfer-import = Повернути аналіз: Markdown, PDF, Word, текст, HTML чи zip.
help-transfer-match = Сказати, до якого перенесення належить аналіз.
help-transfer-decide = Ухвалити рішення з аналізу за їхніми номерами.
help-transfer-undo = Скасувати все, що взято з аналізу.
help-transfer-ref = Перенесення: кінець його id, як показує `list`.
help-transfer-ref-analysis = Перенесення (береться його останній аналіз) або id аналізу.
help-transfer-analysis = Id аналізу.
help-transfer-numbers = Номери рішень.
help-transfer-adopt-all = Ухвалити всі.
help-transfer-adopt-none = Не ухвалювати жодного.
help-transfer-session = Сесія за її id; без неї — найновіша розмова.
help-transfer-group = Група агентів; без неї — головна.
help-transfer-chat = Чат за назвою або id.
help-transfer-target = Куди; без цього claude-ai, а з --to — manual.
help-transfer-for = Для чого, у лапках: "порівняти трьох постачальників".
help-transfer-to = Зберегти пакунок ще й тут: тека або файл .zip.
help-transfer-yes = Не питати: надіслати так, як запаковано.
help-transfer-all = Також попередні.
help-transfer-file = Документ.
help-transfer-of = Перенесення, до якого він належить; без нього — те, яке названо в документі, або єдине відкрите.
help-transfer-import-group = Група агентів, якщо документ не називає перенесення, а на результат чекають кілька компаній.

transfers-none = Жодної розмови нікуди не перенесено. Перенести розмову: nanoclaw transfer export --for "для чого"
transfers-to-claude-ai = Claude.ai
transfers-to-claude-code = Claude Code
transfers-to-git = гілка git
transfers-to-manual = zip-файл
transfers-state-packing = пакується
transfers-state-asks = чекає на ваше рішення
transfers-state-created = надсилається
transfers-state-delivered = чекає на результат до { $time }
transfers-state-resumed = результат повернувся
transfers-state-expired = час минув
transfers-state-cancelled = скасовано
transfers-asked = попросили: { $name }, { $time }
transfers-size = { $count ->
        [one] { $count } файл
        [few] { $count } файли
       *[many] { $count } файлів
    }, { $size }
transfers-tokens = { $count ->
        [one] { $count } токен
        [few] { $count } токени
       *[many] { $count } токенів
    }
transfers-tokens-about = близько { $count ->
        [one] { $count } токена
       *[many] { $count } токенів
    }
transfers-branch = У гілці { $branch }
transfers-removed = Вилучено перед надсиланням:
transfers-removed-nothing = Вилучати нічого не довелося.
transfers-brought = { $state }; від кого: { $name }, { $time }
transfers-analysis-received = читається
transfers-analysis-asking = ще невідомо, до якого перенесення належить
transfers-analysis-understood = приймається
transfers-analysis-imported = прийнято
transfers-analysis-refused = відхилено
transfers-analysis-undone = скасовано
transfers-facts = Факти:
transfers-decisions = Рішення:
transfers-changes = Запропоновані зміни контексту:
transfers-next = Наступний крок: { $step }
transfers-which = До якого перенесення це належить?
transfers-say-which = Вкажіть: nanoclaw transfer match { $id } ПЕРЕНЕСЕННЯ
transfers-unmatched = { $name } повернувся, але невідомо, до якого перенесення він належить: nanoclaw transfer match { $id } ПЕРЕНЕСЕННЯ
transfers-sure = Надіслати? [т/Н]
transfers-pick-how = Щоб узяти котрісь із них: nanoclaw transfer pick { $id } { $number }
transfers-waits = Нічого не надіслано. Вирішіть: nanoclaw transfer release { $id } або nanoclaw transfer cancel { $id }
transfers-stays = Нічого не надіслано.
transfers-saved = Пакунок лежить у { $path }. Повернути результат: nanoclaw transfer import ФАЙЛ --transfer { $id }
transfers-left-claude-ai = Документи у вашому власному чаті. Завантажте їх у проєкт на Claude.ai, а тоді поверніть результат: nanoclaw transfer import ФАЙЛ --transfer { $id }
transfers-left-claude-code = Zip у вашому власному чаті; його resume.sh запускає Claude Code. Докладніше: nanoclaw transfer show { $id }
transfers-left-git = Пакунок в окремій гілці git. Те, що туди закомітять як session_transfer/analysis.md, повернеться саме.
transfers-here-git = Пакунок у гілці { $branch } робочого простору на цій машині; push не зроблено. Повернути результат: nanoclaw transfer import ФАЙЛ --transfer { $id }
transfers-left-manual = Zip у чаті «{ $chat }». Повернути результат: nanoclaw transfer import ФАЙЛ --transfer { $id }
transfers-cancelled = Перенесення { $id } скасовано.
transfers-undone = Усе з { $name } скасовано.

error-transfers-no-such = Перенесення { $id } немає. Усі показує nanoclaw transfer list --all.
error-transfers-no-analysis = За перенесенням { $id } ще нічого не повернулося.
error-transfers-decide-what = Які рішення? Вкажіть їхні номери, або --all, або --none.
error-transfers-exists = { $path } уже існує. Нічого не перезаписується: виберіть інше місце.
error-transfers-unwritten = { $path } не вдалося записати: { $said }.
