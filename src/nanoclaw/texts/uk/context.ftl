# Контекст компанії: його файли, запропоновані зміни, документи, інтерв’ю.

context-ask = Змінити **{ $file }**? { $summary }
context-ask-new = Створити файл **{ $file }**? { $summary }
context-ask-delete = Видалити файл **{ $file }**? { $summary }
context-diff-shown = Різниця нижче.
context-write = Напишіть новий текст **{ $file }** або лише те, що змінюється, наприклад: 690 замість 490. Вище те, що було запропоновано.
context-changed = ✅ **{ $file }** змінено. Агенти знатимуть це з наступного повідомлення.
context-deleted = 🗑 **{ $file }** видалено. Повернути можна командою `{ $command } context restore`.
context-outdated = ⚠️ **{ $file }** тим часом змінився, тому нічого не записано. Ось та сама зміна до нинішнього тексту.
context-stale-head = 🗓 Ці файли контексту не змінювалися довше, ніж очікувалося:
context-stale-line = - **{ $file }**: { $days ->
        [one] { NUMBER($days, useGrouping: 0) } день
        [few] { NUMBER($days, useGrouping: 0) } дні
       *[many] { NUMBER($days, useGrouping: 0) } днів
    } без змін, очікується { $rhythm ->
        [year] щороку
        [quarter] щокварталу
       *[month] щомісяця
    }
context-stale-foot = Змінити файл: `/update-context РОЗДІЛ: що нового`. Або дайте відповіді на запитання: `/interview`.

option-apply = ✅ Так
option-show-diff = 🔍 Показати diff
option-edit-text = ✏️ Редагувати
option-skip = ⏭ Пропустити
option-back = ⬅️ Назад
option-stop = ⏹ Зупинити

error-no-such-context-file = Немає файлу контексту «{ $name }». Є такі: { $known }.
error-context-file-unclear = «{ $name }» може означати кілька файлів: { $known }. Назвіть один із них.
error-context-file-missing = Файлу { $file } ще немає.
error-context-no-change = { $file } уже каже саме це.
error-context-empty = Текст порожній. Видалити файл може лише власник: `{ $command } context delete`.
error-context-too-long = Текст задовгий: у файлі може бути щонайбільше { NUMBER($most, useGrouping: 0) } символів.
error-context-forbidden = Зміни до контексту можуть пропонувати лише люди цієї компанії.
error-context-delete-forbidden = Видалити файл контексту може лише власник.
error-context-no-company = Немає компанії «{ $company }», для якої працює група агентів.
error-no-such-version = У { $file } немає версії { $version }.
error-no-such-proposal = Немає пропозиції { $id }.

error-document-outside = можна читати лише файли всередині /work.
error-document-missing = такого файлу немає.
error-document-empty = файл порожній.
error-document-too-big = файл більший за { $megabytes } МБ.
error-document-big = він забирає забагато пам’яті: можливо, файл пошкоджений або ворожий. Надішліть текст іншим способом.
error-document-kind = читаються лише файли PDF, Word (.docx), Markdown, текст і HTML.
error-document-encrypted = він захищений паролем. Надішліть копію без пароля.
error-document-broken = файл пошкоджений або це не те, що каже його назва.
error-document-no-text = у ньому немає тексту. Можливо, це скан.
error-document-slow = читання тривало понад { $seconds } с.
error-document-no-packages = на цій машині не встановлено пакетів для читання документів.

context-rhythm = { $rhythm ->
        [year] щороку
        [quarter] щокварталу
       *[month] щомісяця
    }
context-area-company = Компанія
context-area-product = Продукт
context-area-audience = Аудиторія
context-area-brand = Бренд
context-area-market = Ринок

context-file-company-identity = Хто ми
context-file-company-team = Команда
context-file-company-operations = Як ми працюємо
context-file-product-spec = Продукт
context-file-product-pricing = Ціни
context-file-product-positioning = Позиціонування
context-file-audience-icp = Ідеальні клієнти
context-file-audience-jtbd = Завдання клієнтів
context-file-audience-voc = Голос клієнта
context-file-audience-awareness = Обізнаність
context-file-brand-voice = Голос бренду
context-file-brand-visual = Візуальний стиль
context-file-brand-guidelines = Правила бренду
context-file-market-intelligence = Що діється на ринку
context-file-market-competitors = Конкуренти
context-file-market-channels = Канали
context-file-market-geo-aeo = Пошук і відповіді ШІ

context-purpose-company-identity = Хто ви, що робите, для кого і відколи
context-purpose-company-team = Хто що робить, за ролями
context-purpose-company-operations = Як минає звичайний тиждень: години, місця, правила
context-purpose-product-spec = Що саме продається і що до цього входить
context-purpose-product-pricing = Ціни, знижки, повернення
context-purpose-product-positioning = Чому обирають вас, а не щось інше
context-purpose-audience-icp = Які клієнти підходять найкраще, а які ні
context-purpose-audience-jtbd = Що люди хочуть зробити, коли приходять до вас
context-purpose-audience-voc = Що кажуть клієнти, їхніми словами
context-purpose-audience-awareness = Що люди знають до знайомства з вами
context-purpose-brand-voice = Як ви говорите й пишете
context-purpose-brand-visual = Кольори, шрифти, зображення
context-purpose-brand-guidelines = Що робиться завжди, а що ніколи
context-purpose-market-intelligence = Що змінюється на вашому ринку
context-purpose-market-competitors = Що люди роблять замість цього і хто ще це пропонує
context-purpose-market-channels = Де ви зустрічаєте своїх клієнтів
context-purpose-market-geo-aeo = Як вас знаходять і цитують пошукові системи та ШІ-асистенти

command-interview = відповісти на запитання, щоб відповіді стали контекстом компанії
demo-context-proposed = Я винесла зміну на розгляд: люди бачать різницю на картці й вирішують.
demo-context-refused = Запропонувати це не вдалося. { $said }
demo-context-which = Про який файл ідеться? Напишіть так: /update-context ціни: 690 замість 490
demo-document-unread = Мені не вдалося прочитати документ. { $said }
demo-document-nothing = У документі немає розділу, заголовок якого називає один із файлів контексту.
