# Аналізи: що повертається з іншого середовища.
command-import-analysis = прийняти результат ззовні
analysis-usage =
    Надішліть результат файлом (Markdown, текст, PDF, Word, HTML або zip) з підписом `/import_analysis` або дайте відповідь `/import_analysis` на такий файл. У терміналі: `nanoclaw transfer import ФАЙЛ`. На сторінці: *Перенесення*.

    Якщо у файлі не названо його перенесення, додайте код: `/import_analysis tr_…`. Відкриті перенесення показує /transfers.
analysis-reading = 📥 Читаю { $name }. Тут розповім, що в ньому знайшлося.
analysis-waits-for-people = 📥 { $name } отримано. Чи його прийняти, вирішить власник або адміністратор цієї групи; потім я його прочитаю.
analysis-waits = ⏳ { $reason } Щойно це зміниться, робота продовжиться сама.
analysis-refused = ❌ **{ $name } не прийнято:** { $reason }
analysis-imported = ✅ **{ $name } прийнято:** { $found };
analysis-count-facts = { $count ->
    [one] { $count } факт
    [few] { $count } факти
   *[many] { $count } фактів
}
analysis-count-decisions = { $count ->
    [one] { $count } рішення
    [few] { $count } рішення
   *[many] { $count } рішень
}
analysis-count-changes = { $count ->
    [one] { $count } зміна контексту на підтвердження
    [few] { $count } зміни контексту на підтвердження
   *[many] { $count } змін контексту на підтвердження
}
analysis-count-nothing = нічого нового в ньому немає
analysis-goes-on = робота триває.
analysis-goes-on-with = продовжую з цього: { $step }.
analysis-facts-note = Факти збережено як чужі слова, бо вони прийшли ззовні.
analysis-by-headings = Модель його не читала: це те, що стоїть під його заголовками.
analysis-button-show = 🔍 Показати
analysis-button-undo = ↩️ Скасувати
analysis-shown = Дивіться нижче.
analysis-list-head = **Що знайшлося в { $name }**
analysis-list-facts = Факти
analysis-list-decisions = Рішення
analysis-list-changes = Зміни контексту
analysis-list-next = Наступний крок:
analysis-list-document = Усе, що знайшлося в { $name }, з місцем кожного запису.
analysis-place = *({ $place })*
analysis-adopted = ✅
analysis-not-proposed = (не запропоновано: у файлі немає того, що треба замінити, або там це вже є)
analysis-provenance = { $name }: { $place }
analysis-proposal = З { $name }: { $place }

option-adopt-all = ✅ Усі
option-adopt-some = 🔢 Деякі
option-adopt-none = ❌ Жодного
option-none-of-these = ❌ Жодне з цих
analysis-ask-member = { $who }: ось результат перенесення, { $name }. Прийняти його? Факти буде збережено як чужі слова, про рішення і зміни контексту я запитаю.
analysis-ask-git = Через git прийшов результат перенесення, { $name }. Прийняти його? Факти буде збережено як чужі слова, про рішення і зміни контексту я запитаю.
analysis-ask-transfer = До якого перенесення належить { $name }?
analysis-ask-transfer-more = { $count ->
    [one] Чекає ще { $count } давніше перенесення. Якщо це воно, виберіть «Жодне з цих» і надішліть файл ще раз із його кодом: /import_analysis КОД.
    [few] Чекають ще { $count } давніші перенесення. Якщо це одне з них, виберіть «Жодне з цих» і надішліть файл ще раз із його кодом: /import_analysis КОД.
   *[many] Чекає ще { $count } давніших перенесень. Якщо це одне з них, виберіть «Жодне з цих» і надішліть файл ще раз із його кодом: /import_analysis КОД.
}
analysis-ask-decisions = { $count ->
    [one] У { $name } є { $count } рішення. Воно нікого не зобов’язує, доки ви його не ухвалите. Що діє віднині?
    [few] У { $name } є { $count } рішення. Вони нікого не зобов’язують, доки ви їх не ухвалите. Які з них діють віднині? Натисніть кнопку або дайте відповідь номерами: 1, 3-5.
   *[many] У { $name } є { $count } рішень. Вони нікого не зобов’язують, доки ви їх не ухвалите. Які з них діють віднині? Натисніть кнопку або дайте відповідь номерами: 1, 3-5.
}
analysis-ask-which = Які рішення діють віднині (усього їх { $count })? Напишіть їхні номери, наприклад: 1, 3-5.
analysis-ask-which-again = «{ $said }» — це не номери від 1 до { $count }. Які рішення діють віднині? Напишіть так: 1, 3-5.
analysis-more = … і ще { $count }: усі є під кнопкою *Показати*.
analysis-decisions-done = { $count ->
    [0] Жодного рішення не ухвалено.
    [one] Віднині діє { $count } рішення.
    [few] Віднині діють { $count } рішення.
   *[many] Віднині діють { $count } рішень.
}
analysis-undo-done = Скасовано.
analysis-taken-back = ↩️ **{ $who }: прийняте з { $name } скасовано.** { $facts ->
    [one] { $facts } факт
    [few] { $facts } факти
   *[many] { $facts } фактів
}, { $decisions ->
    [one] { $decisions } рішення
    [few] { $decisions } рішення
   *[many] { $decisions } рішень
}, { $changes ->
    [one] { $changes } відкрита зміна контексту
    [few] { $changes } відкриті зміни контексту
   *[many] { $changes } відкритих змін контексту
}. У розмові про це вже йшлося, і цього не повернути.
analysis-stays = { $count ->
    [one] { $files } лишається таким, яким його змінили люди
   *[other] { $files } лишаються такими, якими їх змінили люди
}. Змінити знову можна через `/update_context`; попередні версії є на сторінці *Контекст*.

error-analysis-forbidden = Ви не належите до людей цього агента, тому не можете приносити йому результати.
error-analysis-kind = «{ $name }» не вдасться прочитати. Надішліть Markdown, текст, PDF, Word (.docx), HTML або їхній zip.
error-analysis-file-missing = «{ $name }» не дійшов: { $said } Надішліть його ще раз разом із командою.
error-analysis-file-fetching = «{ $name }» ще не тут. Дайте команду ще раз за мить; якщо не допоможе, надішліть файл разом із нею.
error-analysis-again = Цей самий документ, { $name }, уже приносили ({ $id }). Нічого не змінено.
error-analysis-of-other = Він належить до перенесення { $named }, а ви назвали { $given }. Не вказуйте код або принесіть інший документ.
error-analysis-no-transfer = Немає перенесення, яке чекає на результат і якому він підходить. Їх показує /transfers; назвіть одне разом із командою.
error-analysis-unknown-transfer = Перенесення { $id } тут немає. Відкриті показує /transfers.
error-analysis-foreign = Перенесення { $id } належить іншій компанії. Принесіть документ агентові тієї компанії.
error-analysis-other-group = Перенесення { $id } належить іншій групі агента. Попросіть її адміністратора принести документ.
error-analysis-cancelled = Перенесення { $id } скасовано. Заберіть роботу знову через /export_session і назвіть новий код.
error-analysis-resumed = Результат перенесення { $id } уже повернувся. Для іншого заберіть роботу знову через /export_session.
error-analysis-gone = Файлу більше немає на цій машині, і його ніхто не прочитав. Принесіть його, будь ласка, ще раз.
error-analysis-expired = Час перенесення { $id } минув. Заберіть роботу знову через /export_session і назвіть новий код.
error-analysis-not-released = Перенесення { $id } ще не вирушило: спершу власник або адміністратор вирішує на його картці.
error-analysis-session-over = Розмову перенесення { $id } завершено, тому продовжити її нікому. Надішліть документ агентові просто як файл.
error-analysis-altered = Пакунок перенесення { $id } дорогою змінили: { $files }. Надішліть лише нове або пакунок таким, яким він вирушив.
error-analysis-too-many = Ваших документів, що чекають на рішення, вже { $most }. Зачекайте, доки хтось вирішить.
error-analysis-not-as-shown = «{ $name }» — уже не той документ, на який погодилися. Принесіть його ще раз: людей запитають знову.
error-analysis-declined = Ті, хто вирішує, не погодилися або ніхто не вирішив вчасно.
error-analysis-not-understood = Без моделі з нього нічого не вдалося прочитати. Запишіть знайдене під заголовками «Факти», «Рішення», «Зміни контексту» і «Наступний крок» або принесіть його знову, коли буде під’єднано модель. Файл зберігається тиждень.
error-analysis-decide-forbidden = Про це вирішують лише ті, хто керує групою.
error-analysis-decided = Тут уже нема чого вирішувати.
error-analysis-no-such-decision = Рішення мають номери від 1 до { $count }.
error-analysis-not-asking = Уже відомо, до якого перенесення це належить.
error-analysis-undo-forbidden = Скасувати це можуть лише ті, хто керує групою.
error-analysis-undone = Це вже скасовано.
error-analysis-not-imported = З цього документа нічого не прийнято, тож нема чого скасовувати.
error-no-such-analysis = Аналізу { $id } тут немає.
error-document-zip-many = в архіві понад 200 файлів. Надішліть лише результат.
error-document-zip-path = в архіві є файл, який опинився б поза ним. Архів може бути ворожим: нічого з нього не використано.
error-document-zip-link = в архіві є посилання на файл. Архів може бути ворожим: нічого з нього не використано.
error-document-zip-big = розпакований архів завеликий. Надішліть лише результат.
error-document-zip-nothing-new = у пакунку немає нічого нового. Покладіть результат поруч із його файлами, як analysis.md.

audit-analysis-undone = скасовує те, що приніс аналіз { $subject }
why-analysis-received = принесено як результат перенесення: { $name }
why-analysis-matched = належить до перенесення { $id }
why-analysis-waited = Не вдалося запитати модель: { $error }
why-analysis-understood = { $by ->
    [headings] прочитано за заголовками, без моделі
   *[model] прочитано моделлю, частин: { $parts }
}
why-analysis-imported = прийнято: { $facts ->
    [one] { $facts } факт
    [few] { $facts } факти
   *[many] { $facts } фактів
}, { $decisions ->
    [one] { $decisions } рішення
    [few] { $decisions } рішення
   *[many] { $decisions } рішень
}, { $changes ->
    [one] { $changes } зміна контексту
    [few] { $changes } зміни контексту
   *[many] { $changes } змін контексту
}; агент працює далі
why-analysis-refused = не прийнято: { $error }
why-analysis-undone = скасовано: { $name }
