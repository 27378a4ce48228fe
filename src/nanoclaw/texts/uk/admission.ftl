# Хто може говорити і з ким: картки, команди власників та адміністраторів, причини й відмови.

order-forbidden-everywhere = Команда /{ $name } потребує ролі { $role ->
        [owner] власника
        [admin] адміністратора
        [member] учасника
       *[other] { $role }
    } для всіх груп агентів, а { $yours ->
        [owner] ваша роль — власник
        [admin] ваша роль — адміністратор
        [member] ваша роль — учасник
       *[other] ви такої ролі не маєте
    }.
help-admins = Для власників та адміністраторів:
command-leave = агент полишає цю гілку, доки його не покличуть знову
command-requests = хто чекає на ваше рішення
command-allow = впустити когось (новий чат: ще й назва групи агентів)
command-deny = відмовити комусь
command-wire = приєднати цей чат до групи агентів
command-unwire = від'єднати цей чат від групи агентів
command-engage = коли агент реагує на сказане тут
command-ignored = що буде з повідомленнями, на які він не реагує
command-senders = на чиї повідомлення він реагує
command-strangers = що робити, коли тут пише хтось невідомий
command-role = що дозволено людині; у відповіді на повідомлення — його авторові
command-people = усі, хто має роль
command-block = більше не чути людину
command-unblock = знову чути людину
command-chats = чати й агенти в них
command-groups = групи агентів; add створює нову
command-drops = що не допущено й чому
command-audit = хто що змінив

order-leave-done = Мовчатиму в цій гілці, доки мене не покличуть знову.
order-leave-none = Жоден агент не лишається в цій гілці: кожен чекає, доки його покличуть.
rate-told = Ви пишете швидше, ніж дозволяє цей хост. Нічого не втрачено: до написаного дійде черга приблизно через { $seconds ->
        [one] { $seconds } секунду
        [few] { $seconds } секунди
        [many] { $seconds } секунд
       *[other] { $seconds } секунди
    }.

# Картки

card-in-private = особистий чат
card-in-group = група «{ $title }»
card-in-threaded = група «{ $title }»
card-said-cut = ⚠️ Ще { $hidden } символів не вмістилося на картку. Усе є на сторінці в розділі «Люди».
card-sender = **{ $who } хоче писати до { $agents }.**

    Цю людину ще ніхто не впустив. Вона пише ({ $chat }):

    { $said }

    Кнопка *Дозволити* робить цю людину учасником { $agents }, і вона отримає відповідь. *Відмовити* відкидає написане. *Заблокувати* відкидає це й усе, що вона ще напише. ({ $id })
card-chat-said = **Новий чат: приєднати?**

    { $who } пише в чаті, де ще немає агента ({ $chat }):

    { $said }

    Оберіть агента, який там відповідатиме. Хто це написав, зможе з ним розмовляти; про інших у чаті вас запитають. ({ $id })
card-chat-alone = **Новий чат: приєднати?**

    { $who } пише боту наодинці:

    { $said }

    Оберіть агента, який відповідатиме. ({ $id })
card-chat-joined = **Новий чат: приєднати?**

    { $who } додає бота до нового чату ({ $chat }). Оберіть агента, який там відповідатиме. ({ $id })
card-name = Як назвати нового агента для «{ $chat }»? Напишіть назву тут.
card-name-asked = Напишіть тут назву нового агента.
card-company = Для якої компанії працюватиме { $group }?
card-cancelled = Скасовано. На картку вище ще можна відповісти.
card-allow = { $who } тепер може писати (рішення: { $name })
card-deny = { $who }: відмовлено (рішення: { $name })
card-block = { $who }: заблоковано (рішення: { $name })
card-wired = приєднано до { $group } (рішення: { $name })
card-public = відповідь буде: там тепер може писати кожен (рішення: { $name })
card-moved = чат переїхав і вже належить { $group }
card-ignore = проігноровано (рішення: { $name }); наступне повідомлення там спитає знову
card-never = проігноровано назавжди (рішення: { $name })
button-allow = Дозволити
button-deny = Відмовити
button-block = Заблокувати
button-create = Створити нового
button-ignore = Ігнорувати
button-never = Більше не питати
button-cancel = Скасувати
button-own-company = Нова: { $name }

# Правила, кожне одним реченням

engage-always = завжди
engage-pattern = коли слова відповідають шаблону { $pattern }
engage-mention = коли бота кличуть або відповідають йому
engage-mention-sticky = коли бота кличуть, і відтоді в тій гілці
senders-all = усі, хто може тут писати
senders-known = лише учасники групи агентів
ignored-drop = що не для агента, те відкидається
ignored-accumulate = що не для агента, те зберігається, і він прочитає це з наступним повідомленням, яке його розбудить
strangers-request_approval = про незнайомців питають власника чи адміністратора
strangers-strict = незнайомців не допускають
strangers-public = писати може будь-хто

# Відповіді на команди

people-head = Люди, що мають роль:
people-head-none = Ролі ще ніхто не має.
person-blocked = заблоковано
person-blocked-now = { $who }: заблоковано, жодне повідомлення не береться до уваги.
person-unblocked-now = { $who }: розблоковано.
role-still = При цьому всюди залишається роль { $role ->
        [owner] власника
        [admin] адміністратора
       *[other] учасника
    }; /role з none її забирає.
role-everywhere = { $role ->
        [owner] власник
        [admin] адміністратор
       *[other] учасник
    } всюди
role-within = { $role ->
        [admin] адміністратор
       *[other] учасник
    } у { $group }
role-set = { $who } тепер { $role ->
        [owner] має роль власника
        [admin] має роль адміністратора
        [member] має роль учасника
        [none] не має ролі
       *[other] має роль { $role }
    } у групі { $group }.
role-set-everywhere = { $who } тепер { $role ->
        [owner] має роль власника всюди
        [admin] має роль адміністратора всюди
        [member] має роль учасника всюди
        [none] не має загальної ролі
       *[other] має роль { $role } всюди
    }.
chats-head = Чати та їхні агенти:
chats-head-none = Чатів ще немає.
wire-done = Тепер цей чат належить групі { $group }.
unwire-done = Цей чат більше не належить групі { $group }.
wiring-now = { $group } реагує на повідомлення { $engage }; відправники: { $senders }; { $ignored }.
wiring-privacy = У Telegram бот чує такі повідомлення лише як адміністратор групи або з вимкненим режимом приватності (/setprivacy у BotFather).
strangers-now = Відтепер у цьому чаті: { $policy }.
group-made = Групу агентів { $group } створено. Її тека — groups/{ $group }.
groups-head = Групи агентів:
groups-head-none = Немає жодної групи агентів.
group-line = - { $group }, компанія { $company }, { $count ->
        [one] { $count } чат
        [few] { $count } чати
        [many] { $count } чатів
       *[other] { $count } чату
    }
requests-head = Чекають на рішення (/allow ID, /deny ID):
requests-head-none = На рішення ніхто не чекає.
request-sender = - `{ $id }` { $who } хоче писати в чаті «{ $chat }»
request-chat = - `{ $id }` у чаті «{ $chat }» немає агента; там пише { $who }
drops-head = Не допущено, від найновішого:
drops-head-none = Усе допущено.
audit-head = Зміни, від найновішої:
audit-head-none = Ще нічого не змінювали.
list-more = … і ще { $count }

# Що сталося з повідомленням

state-held = Повідомлення чекає на рішення щодо його відправника або чату.
state-kept = Повідомлення було не для агента; він прочитає його разом із наступним, що для нього.
why-admitted-because = допущено до { $groups }: { $reason }
why-asked = чекає на рішення, тих, хто може вирішити, запитано: { $reason }
why-decided = рішення щодо нього ухвалено
why-kept = збережено для { $group }: буде прочитано з наступним повідомленням, яке розбудить агента ({ $reason })
why-passed-over = { $group } не реагує: { $reason }
why-paused = написано зашвидко: чекає { $seconds ->
        [one] { $seconds } секунду
        [few] { $seconds } секунди
        [many] { $seconds } секунд
       *[other] { $seconds } секунди
    }

reason-blocked = відправника заблоковано
reason-no-groups = немає жодної групи агентів
reason-only-group = пише власник чи адміністратор, а група агентів лише одна
reason-unknown-chat = до цього чату не приєднано жодної групи агентів, тож про це питають
reason-no-owner = ніхто з тих, хто міг би вирішити, ще не спарувався з ботом
reason-other-company = цей агент працює для іншої компанії, ніж перший у чаті
reason-group-gone = цю групу агентів видалено
reason-members-only = цей агент слухає лише учасників своєї групи
reason-anonymous = за цим не впізнати людини: це канал або адміністратор, що пише від імені групи
reason-sender-asked = відправник невідомий, тож про нього питають
reason-skill-command = названо навичку
reason-always = агент реагує тут на все
reason-pattern = слова відповідають шаблону агента
reason-no-match = слова не відповідають шаблону агента
reason-addressed = бота покликали
reason-called-before = агента вже покликали в цю гілку раніше
reason-not-alone = це роблять лише наодинці з ботом
reason-not-member = відправник не є учасником цієї групи агентів
reason-edited = нові слова повідомлення, яке вже розбудило агента
reason-too-many-requests = забагато відкритих запитів; вирішіть деякі з них (/requests)
reason-too-many-held = на рішення вже чекає забагато повідомлень цього відправника
reason-denied = відправнику відмовив той, хто може вирішувати
reason-replaced = пізніше написав хтось інший, і чат приєднано для нього

# nanoclaw admission explain

explain-order = Це виконує сам хост: /{ $name }.
explain-forbidden-command = Хост не виконує команду /{ $name }: вона потребує ролі { $role ->
        [owner] власника
        [admin] адміністратора
        [member] учасника
       *[other] { $role }
    }.
explain-unknown-command = Хост відповість, що команди /{ $name } немає.
explain-refused = Відмова, і відправник дізнається чому: { $reason }.
explain-admitted = Допущено до { $groups }: { $reason }.
explain-accumulated = Збережено як контекст для { $groups }, нікого не будить: { $reason }.
explain-held = Чекає на рішення: { $reason }.
explain-dropped = Не допущено, про це є запис: { $reason }.
explain-waits = Воно чекало б { $seconds } с, бо відправник або група пише зашвидко.

# Журнал змін

audit-paired = отримано роль власника за кодом для спарування
audit-role-given = { $person } отримує роль { $role ->
        [owner] власника
        [admin] адміністратора
        [member] учасника
       *[other] { $role }
    } { $group ->
        [everywhere] в усіх групах
       *[other] у групі { $group }
    }
audit-role-taken = { $person } втрачає роль { $group ->
        [everywhere] в усіх групах
       *[other] у групі { $group }
    }
audit-blocked = заблоковано { $person }
audit-unblocked = розблоковано { $person }
audit-wired = чат «{ $chat }» приєднано до { $group }
audit-unwired = чат «{ $chat }» від'єднано від { $group }
audit-wiring-changed = змінено приєднання { $chat } до { $group }: було «{ $before }», стало «{ $after }»
audit-strangers-set = змінено правило щодо незнайомців у чаті «{ $chat }»: було { $before }, стало { $after }
audit-message-elsewhere = доручено агентові { $group } написати групі { $target }
audit-group-founded = створено групу агентів { $group } компанії { $company }
audit-sender-allow = { $person } може писати в чаті «{ $chat }» до { $groups }
audit-sender-deny = відмовлено { $person } у чаті «{ $chat }»
audit-sender-block = заблоковано { $person } у чаті «{ $chat }»
audit-chat-wired = новий чат «{ $chat }» приєднано до { $group }
audit-chat-ignore = новий чат «{ $chat }» проігноровано
audit-chat-never = новий чат «{ $chat }» проігноровано назавжди

# Чого не можна зробити і що робити натомість

error-pattern-empty = Бракує шаблону. Напишіть регулярний вираз, наприклад ^assistant; сама лише крапка відповідає всьому.
error-pattern-long = У шаблоні { $length ->
        [one] { $length } символ
        [few] { $length } символи
        [many] { $length } символів
       *[other] { $length } символу
    }; дозволено щонайбільше { $longest }.
error-pattern-bad = Шаблон { $pattern } не можна використати: { $said }. Це має бути регулярний вираз RE2, без переглядів уперед чи назад і зворотних посилань.
error-pattern-big = Шаблон { $pattern } стає завеликим: менше повторень у ньому.
error-request-forbidden = Це вирішувати не вам: потрібен власник або адміністратор груп агентів, яких це стосується.
error-request-gone = Це вже вирішено.
error-request-decided = Це вже вирішено: { $name }, { $at }.
error-no-such-request = Відкритого запиту { $id } немає. Їх показує /requests у чаті або { $command } requests list.
error-request-which = Напишіть номер запиту, як його показує /requests.
error-request-needs-group = Це про новий чат: напишіть /allow { $id } і назву групи агентів.
error-no-such-choice = Варіанта «{ $choice }» немає. Оберіть один із: { $known }.
choose-one = Оберіть одне:
error-choose = Напишіть, що саме: { $known }.
error-create-needs-chat = Назву можна спитати лише в особистому чаті або на сторінці. Створіть групу командою `{ $command } groups add`, а тоді приєднайте до неї чат.
error-no-such-company = Цієї компанії вже немає.
error-no-such-group = Групи агентів «{ $group }» немає. Є: { $known }.
error-group-unnamed = У назві має бути принаймні одна літера або цифра.
error-group-exists = Група агентів «{ $group }» вже є. Оберіть іншу назву.
error-company-unnamed = У назві компанії має бути принаймні одна літера або цифра.
error-group-add-how = Напишіть /groups add НАЗВА КОМПАНІЯ.
error-role-anonymous = За «{ $person }» не впізнати людини, тож ролі тут бути не може.
error-role-local-owner = Хто має цю машину, той і власник; цього не відібрати.
error-role-forbidden = Це потребує ролі { $role ->
        [owner] власника
        [admin] адміністратора
        [member] учасника
       *[other] { $role }
    }.
error-role-which = Напишіть роль: { $known }.
error-role-which-group = Напишіть, у якій групі агентів: { $known }.
error-member-needs-group = Учасник належить до однієї групи агентів: назвіть її (у командному рядку через --group). Є: { $known }.
error-owner-everywhere = Власник є власником усюди: не вказуйте групу.
error-block-self = Заблокувати себе не можна.
error-block-admin = Заблокувати власника чи адміністратора може лише власник.
error-no-such-person = Нікого на ім'я «{ $person }» тут не знають. Вкажіть ідентифікатор, адресу на зразок telegram:123 або @username того, хто вже писав.
error-several-people = На ім'я «{ $person }» тут знають кількох людей. Вкажіть адресу на зразок telegram:123.
error-person-which = Назвіть людину (@username або telegram:123) чи напишіть це у відповідь на її повідомлення.
error-wired-already = Чат «{ $chat }» уже належить групі { $group }.
error-wiring-companies = { $group } працює для іншої компанії, ніж агенти в чаті «{ $chat }». Від компанії до компанії нічого не переходить: спершу від'єднайте їх.
error-wire-which = Напишіть назву однієї групи агентів: { $known }.
error-no-such-wiring = Чат «{ $chat }» не приєднано до { $group }. Його приєднано до: { $known }.
error-which-wiring = У цьому чаті кілька агентів: спершу назвіть того, кого маєте на увазі. Є: { $known }.
error-no-such-chat = Чату «{ $chat }» немає. Вкажіть його ідентифікатор, адресу або назву.
error-several-chats = Кілька чатів мають назву «{ $chat }». Вкажіть id: { $known }.
error-until-unclear = Не вдалося зрозуміти час «{ $text }». Напишіть день (понеділка, завтра, 2026-11-20), годину (18:00), обидва (понеділка 9:00) або скільки часу (3 години, 2 дні, 1 тиждень).
error-until-past = Час «{ $text }» уже минув. Напишіть той, що ще попереду, як-от завтра 9:00 або 3 години.
error-until-far = До часу «{ $text }» більше ніж рік. Напишіть час у межах року, як-от понеділка 9:00 або 2 тижні.
error-span-unclear = «{ $text }» не є тривалістю. Напишіть число й одиницю, як-от 90s, 30m, 2h, 1d або 30 хвилин; саме лише число означає хвилини.
error-quiet-unclear = «{ $text }» не є тихими годинами. Напишіть, з якої до якої години, два різні часи, як-от 22:00-07:00 або 22-7.
