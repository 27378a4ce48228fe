# Контекст компанії: його файли, запропоновані зміни, документи, інтерв’ю.

context-ask = Змінити **{ $file }**? { $summary }
context-ask-new = Створити файл **{ $file }**? { $summary }
context-ask-delete = Видалити файл **{ $file }**? { $summary }
context-diff-shown = Різниця нижче.
context-diff-rest = … ще символів: { $count }. Вони в документі над карткою та у вхідних.
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
error-context-no-place = «{ $name }» не є ні розділом, ні файлом контексту. Розділи: { $areas }. Файли: { $known }.
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
demo-context-proposed = Зміну винесено на розгляд: люди бачать різницю на картці й вирішують.
demo-context-refused = Запропонувати це не вдалося. { $said }
demo-context-which = Про який файл ідеться? Напишіть так: /update-context ціни: 690 замість 490
demo-context-not-there = У { $file } немає «{ $old }», тож замінювати нема чого. Що там написано, показують `{ $command } context show { $file }` і сторінка «Контекст».
demo-document-which = «{ $name }» не є ні розділом, ні файлом контексту, тож нічого не запропоновано. Розділи: { $areas }. Файли: { $known }.
demo-document-unread = Мені не вдалося прочитати документ. { $said }
demo-document-nothing = У документі немає розділу, заголовок якого називає один із файлів контексту.

context-restored = як було у версії { $version }
context-age = { $days ->
        [0] змінено сьогодні
        [1] змінено вчора
        [one] змінено { NUMBER($days, useGrouping: 0) } день тому
        [few] змінено { NUMBER($days, useGrouping: 0) } дні тому
       *[many] змінено { NUMBER($days, useGrouping: 0) } днів тому
    }
context-missing = ще немає
context-stale = застарів
context-waiting = { $count ->
        [one] { NUMBER($count, useGrouping: 0) } зміна чекає на рішення
        [few] { NUMBER($count, useGrouping: 0) } зміни чекають на рішення
       *[many] { NUMBER($count, useGrouping: 0) } змін чекають на рішення
    }
context-none = Файлів контексту немає.
context-file-none = (Такого файлу ще немає.)
context-no-history = Його ще не внесено до git.
context-same = Вони однакові.
context-no-proposals = Ще нічого не запропоновано.
context-proposal-state = { $state ->
        [open] чекає на рішення
        [editing] хтось пише власний текст
        [written] записано
        [applied] записано й внесено до git
        [outdated] застаріло: файл уже змінився
       *[cancelled] скасовано
    }
context-decide = Вирішити: { $command } decide { $id } apply
error-context-text-or-words = Дайте зміну словами, наприклад «690 замість 490», цілий текст через --from або документ через --file.
error-context-too-big = { $file } більший за { $megabytes } МБ.
context-still-reading = Агент ще не відповів. Те, що він запропонує, з’явиться у вхідних.
error-context-not-there = У файлі немає «{ $old }», тож замінювати нема чого.
error-context-unreadable = { $file } не вдалося прочитати: { $said }

help-context = Контекст компанії: 17 файлів, зміни до них і попередні версії. Без слів: перелік.
help-context-list = Файли: призначення, вік, очікуваний ритм і які застаріли.
help-context-show = Що каже файл і які зміни чекають на рішення.
help-context-propose = Запропонувати зміну: nanoclaw context propose ціни "690 замість 490". Люди бачать різницю й вирішують.
help-context-delete = Запропонувати видалити файл; вирішують лише власники.
help-context-restore = Запропонувати те, що файл казав у попередній версії.
help-context-history = Хто й коли змінював файл.
help-context-compare = Чим попередня версія відрізняється від іншої або від нинішнього тексту.
help-context-proposals = Запропоновані зміни і що з ними сталося, найновіші спочатку.
help-context-file = Файл: product/pricing, pricing або ціни.
help-context-words = Зміна словами: одне замість іншого або те, що треба додати.
help-context-from = Файл із цілим новим текстом; - означає стандартний ввід.
help-context-document = Документ (PDF, Word, Markdown), за яким агент пропонує зміни; FILE тоді обмежує їх файлом або розділом.
help-context-summary = Що змінюється, одним рядком.
help-context-company = Компанія; типово та, для якої працює головна група агентів.
help-context-yes = Схвалити одразу, як власник.
help-context-version = Версія, як у history.
help-context-other = Інша версія; типово те, що файл каже зараз.

doctor-context-stale = { $count ->
        [one] { NUMBER($count, useGrouping: 0) } файл контексту не змінювався
        [few] { NUMBER($count, useGrouping: 0) } файли контексту не змінювалися
       *[many] { NUMBER($count, useGrouping: 0) } файлів контексту не змінювалися
    } довше, ніж очікувалося: { $files }. Подивитися: { $command } context

# Інтерв’ю: кожна відповідь стає розділом свого файлу.
interview-company-identity-what = Що ви продаєте або робите і для кого? Одне-два речення.
heading-company-identity-what = Що ми робимо
interview-company-identity-since = З якого року і де?
heading-company-identity-since = Відколи
interview-company-identity-missed = Чого бракувало б клієнтам, якби ви завтра зачинилися?
heading-company-identity-missed = Чого бракувало б
interview-company-team-roles = Хто що робить? Називайте ролі, без особистих контактів.
heading-company-team-roles = Ролі
interview-company-team-decides = Хто вирішує щодо цін, текстів і скарг?
heading-company-team-decides = Хто вирішує
interview-company-operations-week = Що відбувається звичайного тижня, у які дні та години?
heading-company-operations-week = Звичайний тиждень
interview-company-operations-wrong = Що найчастіше йде не так і що ви тоді робите?
heading-company-operations-wrong = Що йде не так
interview-product-spec-items = Що саме можна купити? Перелічіть, що до чого входить.
heading-product-spec-items = Що продається
interview-product-spec-limits = Що не входить або чого люди помилково очікують?
heading-product-spec-limits = Чого немає
interview-product-pricing-prices = Скільки коштує кожна річ? З валютою та періодом.
heading-product-pricing-prices = Ціни
interview-product-pricing-discounts = Які є знижки, хто може їх давати і скільки щонайбільше?
heading-product-pricing-discounts = Знижки
interview-product-pricing-refunds = Коли повертаються гроші і як швидко?
heading-product-pricing-refunds = Повернення
interview-product-positioning-instead = Що люди купували б або робили без вас?
heading-product-positioning-instead = Замість чого
interview-product-positioning-why = Чому обирають вас? Назвіть причину, яку сказав клієнт.
heading-product-positioning-why = Чому ми
interview-audience-icp-best = Опишіть трьох останніх хороших клієнтів за їхньою ситуацією.
heading-audience-icp-best = Найкращі клієнти
interview-audience-icp-refused = Кому ви відмовляєте або радите піти деінде?
heading-audience-icp-refused = Не для кого
interview-audience-jtbd-job = Що люди хочуть зробити, коли приходять до вас?
heading-audience-jtbd-job = Завдання
interview-audience-jtbd-trigger = Що стається безпосередньо перед тим, як вас шукають?
heading-audience-jtbd-trigger = З чого починається
interview-audience-voc-phrases = Які фрази клієнти пишуть знову і знову? Дослівно.
heading-audience-voc-phrases = Їхні слова
interview-audience-voc-complaints = На що вони скаржаться?
heading-audience-voc-complaints = Скарги
interview-audience-awareness-know = Що люди вже знають або думають до знайомства з вами?
heading-audience-awareness-know = Що вже знають
interview-audience-awareness-doubts = Що змушує їх вагатися?
heading-audience-awareness-doubts = Сумніви
interview-brand-voice-tone = Як ви говорите? Вставте речення, яке вам подобається.
heading-brand-voice-tone = Тон
interview-brand-voice-never = Яких слів ви ніколи не хочете бачити?
heading-brand-voice-never = Небажані слова
interview-brand-visual-look = Які кольори, шрифти й зображення ваші?
heading-brand-visual-look = Вигляд
interview-brand-visual-avoid = Чого ніколи не має бути на зображенні?
heading-brand-visual-avoid = Не наше
interview-brand-guidelines-always = Що у ваших текстах і відповідях робиться завжди?
heading-brand-guidelines-always = Завжди
interview-brand-guidelines-never = Чого ніколи не обіцяють і не кажуть?
heading-brand-guidelines-never = Ніколи
interview-market-intelligence-moves = Що змінилося на вашому ринку за останні місяці?
heading-market-intelligence-moves = Що змінюється
interview-market-intelligence-sources = Де ви про це читаєте?
heading-market-intelligence-sources = Джерела
interview-market-competitors-who = Хто ще це пропонує? З цінами, якщо знаєте.
heading-market-competitors-who = Конкуренти
interview-market-competitors-better = У чому вони кращі за вас, а в чому гірші?
heading-market-competitors-better = У чому кращі
interview-market-channels-where = Де клієнти вас знаходять? За важливістю.
heading-market-channels-where = Канали
interview-market-channels-works = Що останнім часом спрацювало найкраще, а що ні?
heading-market-channels-works = Що працює
interview-market-geo-aeo-asked = Що люди спитали б у пошуковика чи ШІ-асистента, щоб вас знайти?
heading-market-geo-aeo-asked = Що питають
interview-market-geo-aeo-cited = Що такі асистенти кажуть про вас сьогодні?
heading-market-geo-aeo-cited = Що відповідають

interviewing-head = **{ $title }** · { $number } з { $count }
interviewing-begin = Я поставлю { $count ->
        [one] { NUMBER($count, useGrouping: 0) } запитання
        [few] { NUMBER($count, useGrouping: 0) } запитання
       *[many] { NUMBER($count, useGrouping: 0) } запитань
    }. Відповідайте своїми словами; чого не знаєте, те *пропускайте*. Зупинитися можна будь-коли, продовжити: /interview. Наприкінці ви побачите картку для кожного файлу й вирішите.
interviewing-on = Продовжуймо: { $left ->
        [one] лишилося { NUMBER($left, useGrouping: 0) } запитання
        [few] лишилося { NUMBER($left, useGrouping: 0) } запитання
       *[many] лишилося { NUMBER($left, useGrouping: 0) } запитань
    }.
interviewing-rests = Інтерв’ю на паузі. Ваші відповіді збережено: продовжуйте командою /interview.
interviewing-writing = Дякую, це було останнє запитання. Тепер я пишу файли; про кожен ви вирішите на картці.
interviewing-nothing = Відповідей, які можна записати, немає. Почніть знову: /interview.
interviewing-summary = з інтерв’ю
interview-problem-short = Це закоротко, щоб стати в пригоді. Скажіть трохи більше або пропустіть.
interview-problem-long = Це задовго: щонайбільше { $most } символів. Скоротіть, будь ласка.
interview-problem-number = Тут потрібне число, наприклад ціна або рік. Назвіть його або пропустіть запитання.
error-interview-what = Не знаю «{ $name }». Розділи: company, product, audience, brand, market; або файл, наприклад ціни.

# На сторінці

console-context = Контекст
console-context-about = Що агенти знають про вашу компанію. Кожну зміну видно як різницю, а записується вона лише після «так».
console-context-document = Запропонувати зміни за документом
console-context-document-about = Перетягніть сюди файл PDF, Word (.docx) або Markdown, до { $megabytes } МБ. Агент прочитає його в пісочниці й запропонує зміни, а ви вирішите щодо кожного файлу.
console-context-document-choose = Вибрати документ
console-context-document-reading = { $name }: агент читає …
console-context-document-big = { $name } більший за { $megabytes } МБ.
console-context-document-one = Перетягуйте по одному документу.
console-context-document-chat = Відкрити чат
console-context-company = Компанія
console-context-area-company = Компанія
console-context-area-product = Продукт
console-context-area-audience = Аудиторія
console-context-area-brand = Бренд
console-context-area-market = Ринок
console-context-stale = застарів
console-context-waits = чекає: { $count }
console-context-waiting = Зміни, що чекають на рішення
console-context-missing = Цього файлу ще немає. Відредагуйте його, щоб створити.
console-context-history = Історія
console-context-edit = Редагувати
console-context-delete = Видалити цей файл
console-context-delete-title = Видалити цей файл?
console-context-delete-sentence = Агенти більше нічого з нього не знатимуть. Ви ще раз вирішите про це на картці; попередні версії лишаться в історії.
console-context-diff = Різниця
console-context-yes = Так, записати
console-context-deletes = Видалити цей файл
console-context-source-chat = у чаті
console-context-source-file = з документа
console-context-source-interview = з інтерв’ю
console-context-source-page = на цій сторінці
console-context-source-command-line = у командному рядку
console-context-source-git = із git
console-context-told-written = Записано. Агенти знатимуть це з наступного повідомлення.
console-context-told-applied = Записано й внесено до git. Агенти знатимуть це з наступного повідомлення.
console-context-told-cancelled = Скасовано. Нічого не змінилося.
console-context-told-outdated = Файл тим часом змінився. Ось та сама зміна до нинішнього тексту.
console-context-told-open = Прийнято. Хост ще працює над цим.
console-context-edit-title = Редагувати: { $title }
console-context-text = Текст (Markdown)
console-context-summary = Що змінюється, одним рядком
console-context-propose = Показати різницю
console-context-proposed = Ще нічого не записано: подивіться на різницю й вирішіть.
console-context-history-title = Історія { $file }
console-context-no-history = Його ще не внесено до git.
console-context-when = Коли
console-context-what = Що
console-context-who = Хто
console-context-compare = Порівняти
console-context-version = Версія
console-context-against = Порівняно з
console-context-now = нинішнім текстом
console-context-same = Вони однакові.
console-context-restore = Повернути цю версію
error-context-file-odd = { $file } не прочитано: це посилання або не звичайний файл ({ $reason }). Замініть його самим файлом.
