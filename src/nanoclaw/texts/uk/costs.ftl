# Скільки коштують звернення до моделей: `nanoclaw costs`, `/costs` і слова сторінки «Витрати».

help-costs = Скільки коштували звернення до моделей: за компаніями, моделями, днями тощо.
help-costs-by = За чим підсумувати.
help-costs-since = Відколи: дата, наприклад 2026-11-01, або 7d, week, month, today, all.
help-costs-company = Лише ця компанія.
help-costs-limit = Не більше стількох рядків; решту підсумовано в одному. Дні показано всі.
help-costs-csv = Для електронної таблиці, з точними сумами.

error-costs-since = Не розумію, відколи рахувати: «{ $said }». Напишіть дату, наприклад 2026-11-01, кількість днів, наприклад 7d, або week, month, today, all.
error-costs-by = За «{ $said }» витрати не підсумувати. Виберіть щось із цього: { $known }.
error-costs-one-format = Виберіть --csv або --json, не обидва.
error-costs-not-for-you = Такий розподіл витрат ({ $by }) бачать лише власники. Вам доступні витрати за моделями, видами роботи, навичками та днями.

costs-head = Сьогодні { $today }, цього місяця { $month }.
costs-forecast = До кінця місяця буде приблизно { $expected } (від { $low } до { $high }), якщо решта днів буде { $days ->
        [one] як останній { $days } день із витратами
        [few] як останні { $days } дні з витратами
       *[many] як останні { $days } днів із витратами
    }.
costs-no-forecast = Для прогнозу потрібен хоча б один попередній день із витратами.
costs-none = За цей час жодне звернення до моделі нічого не коштувало.
costs-total = Разом
costs-others = { $count ->
    [one] ще { $count }
   *[other] ще { $count }
}
costs-on-the-way = { $count ->
    [one] Враховано { $count } звернення, яке ще триває, за найбільшою можливою ціною: { $money }.
    [few] Враховано { $count } звернення, які ще тривають, за найбільшою можливою ціною: { $money }.
   *[many] Враховано { $count } звернень, які ще тривають, за найбільшою можливою ціною: { $money }.
}
costs-rounded = Суми тут заокруглено; «разом» — це сума точних.

costs-column-calls = Звернень
costs-column-input = Токенів прочитано
costs-column-cached = З кешу
costs-column-output = Токенів написано
costs-column-saved = Заощаджено
costs-column-cost = Вартість

costs-by-company = Компанія
costs-by-model = Модель
costs-by-flow = Вид роботи
costs-by-skill = Навичка
costs-by-person = Людина
costs-by-group = Група
costs-by-chat = Чат
costs-by-task = Завдання
costs-by-run = Запуск конвеєра або ланцюжок
costs-by-day = День

costs-flow-a = Розмова
costs-flow-b = Перенесення сесії
costs-flow-c = Передача між агентами
costs-flow-d = Конвеєр
costs-flow-e = Запитання до людей
costs-flow-f = Задачі
costs-flow-g = Пам'ять
costs-flow-h = Контекст компанії
costs-flow-i = Пакети
costs-flow-j = Перевірки програми

costs-none-company = Невідомо
costs-none-model = Невідомо
costs-none-flow = Невідомо
costs-none-skill = Без навички
costs-none-person = Невідомо
costs-none-group = Невідомо
costs-none-chat = Невідомо
costs-none-task = Поза задачами
costs-none-run = Поза конвеєрами
costs-none-day = Невідомо

command-costs = скільки коштували агенти
costs-chat-head = 💰 **{ $company }**: сьогодні { $today }, цього місяця { $month }.
costs-chat-since-today = Сьогодні { $money }, { $calls ->
        [one] { $calls } звернення
        [few] { $calls } звернення
       *[many] { $calls } звернень
    }.
costs-chat-since-week = За останні 7 днів { $money }, { $calls ->
        [one] { $calls } звернення
        [few] { $calls } звернення
       *[many] { $calls } звернень
    }.
costs-chat-since-month = Цього місяця { $money }, { $calls ->
        [one] { $calls } звернення
        [few] { $calls } звернення
       *[many] { $calls } звернень
    }.
costs-chat-since-all = Від самого початку { $money }, { $calls ->
        [one] { $calls } звернення
        [few] { $calls } звернення
       *[many] { $calls } звернень
    }.
costs-chat-since-date = Від { $since } { $money }, { $calls ->
        [one] { $calls } звернення
        [few] { $calls } звернення
       *[many] { $calls } звернень
    }.
costs-chat-by = **{ $by }**
costs-chat-line = - { $name }: { $money } ({ $share })
costs-chat-line-plain = - { $name }: { $money }
costs-chat-others = - ще { $count }: { $money }
costs-chat-saved = Заощаджено завдяки кешу { $cache }, завдяки пакетам { $batch }.
costs-chat-turns = **Найдорожчі відповіді**
costs-chat-turn = - { $at }, { $what }: { $money }
costs-chat-no-company = У цьому чаті немає агента, чиї витрати вам можна бачити.
costs-chat-foot = Докладніше: `/costs тиждень`, `/costs за навичками`.
costs-all-companies = Усі компанії

member-limit-asked = 💰 Просить { $name }, а вирішує адміністратор: учасник може запускати роботу на { $start } за раз і { $day } на день. Оцінка: { $asked ->
    [unknown] невідома
   *[other] щонайбільше { $asked }
  }. Сьогодні від імені { $name } вже витрачено чи запущено на { $today }. { $most ->
    [unknown] {""}
   *[other] З вашою згодою це може коштувати до { $most }.
  }
member-limit-waits = ⏳ { $asked ->
    [unknown] Скільки це коштуватиме, ще ніхто не знає
   *[other] Це може коштувати { $asked }
  }; ви можете запускати роботу на { $start } за раз і { $day } на день, а сьогодні вже витрачено чи запущено на { $today }. Я запитав адміністратора. Вам нічого робити не треба: щойно він погодиться, усе почнеться.
member-limit-admin-asked = ⏳ Це коштує більше, ніж ви можете запустити самі. Я запитав адміністратора.
member-limit-run-asked = Настав час завдання { $id } «{ $title }», його власник { $name }. Виконати?
member-limit-resubmit-asked = Написати заново тексти з пакета «{ $subject }» ({ $count })?
error-member-limit = Це понад те, що учасник може запустити: { $start } за запуск, { $day } на день, а сьогодні вже витрачено або запущено на { $today }. Запустити може адміністратор групи.
error-member-limit-inside = Із того, що { $name } може запустити сьогодні ({ $day } на день), нічого не лишилося, тож спершу має погодитися адміністратор, а підагент на це чекати не може. Передайте роботу з типом "callback": адміністратора запитають, а вас розбудять із результатом.
error-member-limit-declined = Це понад те, що учасник може запустити за день, тож потрібна згода адміністратора, а її не дали.
error-batch-asked-again = Про повторне написання текстів пакета { $id } вже запитано. Вирішує адміністратор.
