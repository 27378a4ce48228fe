# Перенесення: сесія переходить до іншого середовища.
option-send-package = 📦 Надіслати

error-transfer-forbidden = Ви не належите до людей цього агента, тож не можете перенести його роботу в інше місце.
error-transfer-no-session = Тут ще не було розмови, тож немає що забирати. Спершу поговоріть з агентом.
error-transfer-too-many = Відкритих перенесень цієї розмови вже { $most }. Спершу скасуйте одне: /transfers покаже їх.
error-transfer-purpose-long = У поясненні «навіщо» { $count } символів, а можна { $most }. Скажіть коротше.
error-transfer-released = Пакунок уже надіслано.
error-transfer-nothing-to-pick = Вибирати нема з чого: усе, що може піти, уже в пакунку.
error-transfer-pick-which = Напишіть номери файлів, як на картці: від 1 до { $count }.
error-transfer-pick-numbers = Напишіть номери файлів, наприклад: /transfer_pick 7k2m9q 1 3
error-transfer-pick-secret = Файли, що є секретами за назвою, може вибрати лише власник: { $names }
error-transfer-packed-again = Відколи ви дивилися, пакунок зібрано знову. Перегляньте його ще раз і вирішуйте.
error-transfer-not-packed = Пакунок ще збирається. Спробуйте за мить.
error-transfer-not-delivered = Перенесення { $id } ще не надіслано, тож звідти ще нічого не могло повернутися.
error-transfer-cancel-forbidden = Скасувати його може лише той, хто про нього попросив, або ті, хто керує групою.
error-transfer-over = Перенесення { $id } завершено: { $state ->
    [resumed] результат повернувся
    [expired] час минув
   *[cancelled] його скасовано
}.
error-no-such-transfer = Перенесення { $id } тут немає. /transfers покаже відкриті.

transfer-reason-given-up = перенесення скасовано
transfer-reason-declined = вирішено, що вона залишається тут
transfer-reason-nobody = ніхто вчасно не вирішив, чи можна її надсилати
transfer-reason-cleared = розмову очищено
transfer-reason-group-gone = її агента більше немає
transfer-reason-altered = пакунок змінили після того, як його зібрано
transfer-reason-failed = пакунок не вдалося зібрати
audit-transfer-picked = вибирає файли для перенесення { $subject } групи { $group }: { $files }
audit-transfer-cancelled = скасовує перенесення { $subject } групи { $group } до { $target }
audit-transfer-released = дозволяє надіслати перенесення { $subject } групи { $group } до { $target }
transfer-reason-undelivered = пакунок не вдалося доставити

command-export-session = перенести цю розмову в інше місце
command-transfers = що перенесено в інше місце
command-transfer-pick = узяти ще файли, за номерами на картці
command-transfer-cancel = скасувати перенесення
transfer-target-claude-ai = Claude.ai
transfer-target-claude-code = Claude Code
transfer-target-git = гілка git
transfer-target-manual = zip-файл
error-transfer-target = Місця «{ $target }» я не знаю. Оберіть claude-ai, claude-code, git або manual чи скажіть кількома словами, навіщо це.
error-transfer-none-open = З цієї розмови зараз нічого не перенесено.
error-transfer-which = Тут відкрито кілька. Назвіть одне: { $ids }.

transfer-packing = 📦 Збираю цю розмову: { $target } (`{ $short }`). Перш ніж щось піде, ви побачите, що всередині.
transfer-others-decide = Тих, хто керує цим агентом, запитано, чи можна це надсилати. Їхнє рішення ви дізнаєтеся тут.
transfer-ask = Чи може ця розмова піти сюди: **{ $target }**? Про це просить { $name }.
transfer-ask-proposed = Агент пропонує продовжити деінде (**{ $target }**), бо ця робота завелика для чату. Чи може розмова туди піти?
transfer-ask-again = Коли розмова мала піти, пакунка вже не було на місці. Його зібрано знову, і він може відрізнятися від того, що ви бачили: перегляньте ще раз.
transfer-ask-picked = Пакунок зібрано знову, разом із вибраними файлами. Перегляньте його ще раз.
transfer-purpose = Навіщо: { $purpose }
size-bytes = { $size } Б
size-kilobytes = { $size } кБ
size-megabytes = { $size } МБ
transfer-size = 📦 { $files ->
    [one] { $files } файл
    [few] { $files } файли
   *[many] { $files } файлів
}, { $size }
transfer-tokens = { $count ->
    [one] { $count } токен
    [few] { $count } токени
   *[many] { $count } токенів
 }
transfer-tokens-about = приблизно { $count ->
    [one] { $count } токен
    [few] { $count } токени
   *[many] { $count } токенів
 }
transfer-hash = SHA-256 { $hash }…
transfer-removed = Вилучено: { $what }.
transfer-removed-nothing = Вилучати нічого не довелося.
transfer-removed-secret = { $count ->
    [one] { $count } секрет
    [few] { $count } секрети
   *[many] { $count } секретів
}
transfer-removed-phone = { $count ->
    [one] { $count } номер телефону
    [few] { $count } номери телефону
   *[many] { $count } номерів телефону
}
transfer-removed-e-mail = { $count ->
    [one] { $count } адреса е-пошти
    [few] { $count } адреси е-пошти
   *[many] { $count } адрес е-пошти
}
transfer-removed-card = { $count ->
    [one] { $count } номер картки
    [few] { $count } номери карток
   *[many] { $count } номерів карток
}
transfer-removed-iban = { $count ->
    [one] { $count } банківський рахунок
    [few] { $count } банківські рахунки
   *[many] { $count } банківських рахунків
}
transfer-removed-messages = { $count ->
    [one] { $count } давнє повідомлення
    [few] { $count } давні повідомлення
   *[many] { $count } давніх повідомлень
}
transfer-removed-referenced = { $count ->
    [one] { $count } файл, для якого забракло місця (лише названо)
    [few] { $count } файли, для яких забракло місця (лише названо)
   *[many] { $count } файлів, для яких забракло місця (лише названо)
}
transfer-removed-withheld = { $count ->
    [one] { $count } файл із секретом (лише названо)
    [few] { $count } файли із секретом (лише названо)
   *[many] { $count } файлів із секретом (лише названо)
}
transfer-secrets-leave = ⚠️ { $count ->
    [one] Піде разом із секретами, бо його вибрав власник
   *[other] Підуть разом із секретами, бо їх вибрав власник
}: { $names }
transfer-unchosen = ✋ { $count ->
    [one] { $count } файл лишається тут, якщо його не вибрати:
    [few] { $count } файли лишаються тут, якщо їх не вибрати:
   *[many] { $count } файлів лишаються тут, якщо їх не вибрати:
}
transfer-unlisted = … і ще { $count }, яких немає в цьому списку
transfer-why-name = секрет за назвою; вибрати його може лише власник
transfer-why-together = змінено, коли водночас працював інший чат цієї групи
transfer-why-shared = у нього писав також інший чат цієї групи
transfer-why-changed = відтоді його змінив хтось інший
transfer-why-cut = хост зупинили, поки файл писався
transfer-why-other = названо в цій розмові, але написано не в ній
transfer-why-unknown = змінено під час цієї розмови; хто його писав, невідомо
transfer-pick-how = Щоб узяти котрісь із них, напишіть їхні номери: /transfer_pick { $short } { $number }
transfer-picking = 📦 Збираю `{ $short }` знову, тепер із { $names }. Перш ніж щось піде, вас запитають іще раз.
transfer-removed-other = { $count ->
    [one] ще щось одне
   *[other] ще { $count }
}
transfer-unseen = ⚠️ Не переглянуто, бо це не { $count ->
    [one] текст
   *[other] тексти
}: { $names }
transfer-out-claude-ai =
    📦 **Розмову зібрано для Claude.ai** (`{ $id }`)

    1. Відкрийте проєкт на claude.ai й додайте ці файли до його знань або до нового чату.
    2. Напишіть: «Прочитай transfer.md і продовжуй звідти».
    3. Коли буде готово, попросіть результат як `analysis.md` і надішліть його сюди з `/import_analysis`.
transfer-out-manual =
    📦 **Розмова одним файлом** (`{ $id }`)

    Почніть з transfer.md: він зрозумілий сам по собі. Що з цього вийде, надішліть сюди з `/import_analysis`.
transfer-out-claude-code =
    📦 **Розмову зібрано для Claude Code** (`{ $id }`)

    1. Розпакуйте її в теці, де хочете працювати.
    2. Запустіть `sh session_transfer/claude_code/resume.sh`: Claude Code продовжить звідти, де був агент.
    3. Результат надішліть сюди з `/import_analysis`.
transfer-out-git =
    📦 **Розмова в гілці `{ $branch }`** (`{ $id }`)

    Заберіть її та почніть із `session_transfer/transfer.md`. Результат збережіть там комітом як `session_transfer/analysis.md` і зробіть push: я його підхоплю. `/import_analysis` теж працює.
transfer-out-git-here =
    📦 **Розмова в гілці `{ $branch }`** (`{ $id }`) робочого простору на цій машині. Push не зроблено.

    Почніть із `session_transfer/transfer.md`, а результат надішліть сюди з `/import_analysis`.
transfer-push-again = Спроби повторюються самі, доки не мине час. Коли гілка буде там, ви про це дізнаєтеся.
transfer-pushed = 📦 Гілку `{ $branch }` тепер надіслано на сервер. Збережіть там результат комітом як `session_transfer/analysis.md` і зробіть push: я його підхоплю.
transfer-back-at-machine = У цьому чаті файлів не надіслати: поверніть результат на сторінці *Перенесення* або через `nanoclaw transfer import analysis.md`.
transfer-files-gone = *Перенесення завершено, його файли тут видалено.*
transfer-drive = На вашому диску вона теж є ({ $server }, { $count ->
    [one] { $count } файл
    [few] { $count } файли
   *[many] { $count } файлів
}).
transfer-drive-not = ⚠️ До вашого диска вона не дійшла: { $reason }
transfer-left = 📦 Пакунок тепер має { $name }: { $target } (`{ $short }`). Ця розмова чекає на результат; тим часом можна писати далі.
transfer-stays = 📦 Розмова залишається тут: { $reason }.
transfer-failed = 📦 Розмова залишається тут. { $reason }
transfer-expired = ⌛ Звідти ({ $target }) вчасно нічого не повернулося, тож розмова більше не чекає (`{ $short }`). Щоб спробувати ще раз, надішліть /export_session.
transfer-given-up = Перенесення { $short } скасовано. Нічого не надіслано.
transfer-given-up-away = Перенесення { $short } скасовано, результату більше не чекаємо. { $target ->
    [git] Його гілку буде видалено, якщо в ній ніхто не працює.
   *[other] Надіслане залишається там, де воно є.
}
transfers-head = **Забрано звідси**
transfers-head-none = З цієї розмови зараз нічого не перенесено. `/export_session` забере її до Claude.ai, Claude Code, git або у файл.
transfer-line-away = 📦 `{ $short }`: { $target }, надіслано { $since }; результату чекаємо до { $until } (*{ $state }*)
transfer-line-back = { $line }. Результат є? Надішліть файл із підписом /import_analysis. Забрати назад: /transfer_cancel { $id }
transfer-line-back-at-machine = { $line }. Результат є? `nanoclaw transfer import ФАЙЛ` або сторінка *Перенесення*. Забрати назад: /transfer_cancel { $id }
transfer-line-asked = 📦 `{ $short }`: { $target }, від { $since } чекає на рішення, чи можна надсилати
transfer-line-packing = 📦 `{ $short }`: { $target }, збирається
transfer-hint = Завелике для чату? `/export_session` забере цю розмову до Claude.ai, Claude Code, git або у файл.

why-outgrown = Агентові сказано, що розмова завелика для нього: { $why }.
why-transfer-asked = { $name } просить забрати розмову: { $target } ({ $id }). Навіщо: { $purpose }.
why-transfer-proposed = Агент пропонує забрати розмову: { $target } ({ $id }): { $purpose }.
why-transfer-packed = Її зібрано: файлів { $files }, SHA-256 { $hash }. Вилучено: { $removed }.
why-transfer-released = { $name } дозволяє її надіслати, через { $after }.
why-transfer-declined = { $name } вирішує через { $after }, що вона залишається тут.
why-transfer-undecided = За { $after } ніхто не вирішив, чи можна її надсилати.
why-transfer-picked = { $name } вибирає для пакунка файли: { $files }. Зібране раніше (SHA-256 { $hash }) збирається знову, і людей запитають іще раз.
why-transfer-missed = { $name } дозволяє її надіслати, але зібраного (SHA-256 { $hash }) вже немає на місці. Пакунок збирається знову, і людей запитають ще раз.
why-transfer-delivered = Її доставлено: { $target }, { $place }.
why-transfer-not-pushed = Її гілку не вдалося надіслати на сервер (поки що { $count ->
    [one] { $count } спроба
    [few] { $count } спроби
   *[many] { $count } спроб
}). { $reason }
why-transfer-pushed = Її гілку { $branch } надіслано на сервер, спроба { $count }.
why-transfer-resumed = Результат повернувся.
why-transfer-expired = Вчасно нічого не повернулося.
why-transfer-cancelled = Завершено: { $reason }.
status-awaiting = Сесії, що чекають на результат ззовні
