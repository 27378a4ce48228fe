# Бюджети: скільки компанія може витратити, скільки вже витрачено і що з цього випливає.

command-budget = скільки можна витратити сьогодні й цього місяця і скільки вже витрачено
command-budget-override = додати грошей на сьогодні й на цей місяць
help-budget = Скільки можуть витрачати компанії.
help-budget-show = Показати ліміти компанії і скільки з них витрачено.
help-budget-set = Задати ліміт: day або month і сума в доларах.
help-budget-override = Додати грошей на сьогодні й на цей місяць.
help-budget-company = Компанія; без неї — компанія головної групи.
help-budget-period = day (день) або month (місяць)
help-budget-amount = Долари, наприклад 5 або 20.50; off — без ліміту.

budget-head = **Бюджет компанії { $company }**
budget-used = { $period ->
    [day] Сьогодні
   *[month] Цього місяця
 }: { $spent } із { $limit } ({ $percent } %)
budget-used-unlimited = { $period ->
    [day] Сьогодні
   *[month] Цього місяця
 }: { $spent }, без ліміту
budget-added = Власник додав сьогодні: { $amount }
budget-overdraft = Власні повідомлення людей можуть вийти за ліміт на { $amount }.
budget-waiting = { $count ->
    [one] На гроші чекає { $count } робота.
    [few] На гроші чекають { $count } роботи.
   *[many] На гроші чекають { $count } робіт.
 }
budget-level-none = Ліміту немає, тож витрати ніщо не зупиняє.
budget-level-normal = Усе працює на обраних моделях. Від { $percent } % працюватимуть менші.
budget-level-stepped-down = Витрачено понад { $percent } %: замість opus працює sonnet, а замість sonnet — haiku.
budget-level-smallest = Витрачено понад { $critical } %: усе працює на haiku.
budget-level-spent = Бюджет вичерпано. Відповідаємо лише на те, що пишуть самі люди, і лише на haiku. Задачі, конвеєри й пакети чекають і підуть далі самі, щойно будуть гроші.
budget-level-over = Бюджет вичерпано, зокрема й для власних повідомлень людей. Відповідей не буде, а вся робота чекає, доки не почнеться новий день чи місяць або власник не додасть грошей.
budget-how = Змінює власник: `/budget день 5`, `/budget місяць 50`, `/budget_override +20`.
budget-set = { $period ->
    [day] Денний
   *[month] Місячний
 } ліміт компанії { $company } { $amount ->
    [none] знято
   *[other] тепер — { $amount }
 }.
budget-overridden = Ще { $amount } для { $of ->
    [group] групи { $company }
    [person] людини { $company }
    [task] задачі { $company }
   *[company] компанії { $company }
 } на сьогодні й на цей місяць. Те, що чекало на гроші, іде далі.

budget-alert = ⚠️ Використано { $percent } % { $period ->
    [day] денного
   *[month] місячного
 } бюджету компанії { $company } ({ $spent }/{ $limit }). Тепер замість opus працює sonnet, а замість sonnet — haiku. Додати грошей: `/budget_override +20`.
budget-alert-critical = 🚨 Критично: { $percent } % { $period ->
    [day] денного
   *[month] місячного
 } бюджету компанії { $company } ({ $spent }/{ $limit }). Автоперехід на haiku. Додати грошей: `/budget_override +20`.
budget-alert-spent = 🚨 { $period ->
    [day] Денний
   *[month] Місячний
 } бюджет компанії { $company } вичерпано ({ $spent }/{ $limit }). { $overdraft ->
    [yes] Відповідаємо лише на те, що пишуть самі люди, на haiku.
   *[no] Відповідей не буде.
 } Задачі, конвеєри й пакети чекають і підуть далі самі, щойно будуть гроші. Додати грошей: `/budget_override +20`.
alert-budget-broken = ⚠️ Бюджет компанії { $company } не читається: { $reason } { $keeps ->
    [yes] Поки файл не виправлено, діють попередні ліміти.
   *[no] Поки файл не виправлено, там нічого не витрачається.
 }
alert-bill = ⚠️ { $vendor } повідомляє, що один виклик використав { $tokens } токенів, а цього не може бути. Його враховано як { $money }: дорожчим він бути не міг. Якщо замість постачальника відповідає проксі або ваш власний сервер, перевірте, що він повідомляє: інші його рахунки теж можуть бути хибними.
alert-bill-beyond = ⚠️ { $vendor } виставив { $money } за один виклик на { $tokens } токенів. За правилами самого постачальника він міг коштувати щонайбільше { $most }. Враховано стільки, скільки виставлено, тож витрати можуть перевищити ліміт. Якщо замість постачальника відповідає проксі або ваш власний сервер, перевірте, що він повідомляє.

answer-smaller-model = Написала модель { $model }: використано { $percent } % { $period ->
    [day] денного
   *[month] місячного
 } бюджету.

error-budget-held = { $period ->
    [day] Денний
   *[month] Місячний
 } бюджет{ $of ->
    [group] { " цієї групи" }
    [person] { " цієї людини" }
    [task] { " цієї задачі" }
   *[company] { "" }
 } вичерпано, доки не почнеться { $period ->
    [day] новий день
   *[month] новий місяць
 } або власник не додасть грошей.
error-budget-no-company = Компанії { $company } немає. Компанії — це теки в companies/.
error-budget-no-agent = Тут не працює жоден агент, тож і бюджету тут немає.
error-budget-owners-only = Змінити бюджет може лише власник. Побачити його можуть усі: /budget.
error-budget-how = Ліміт задають так: /budget день 5 або /budget місяць 50, а знімають так: /budget день off. Незрозуміло: «{ $written }».
error-budget-period = Ліміт буває на день (day) або на місяць (month), а не на «{ $written }»: nanoclaw budget set day 5
error-budget-override-how = Напишіть, скільки ще можна витратити: /budget_override +20, а для однієї задачі, групи чи людини з лімітом: /budget_override +5 задача 7.
error-budget-override-nothing = Так додають гроші, тож сума більша за 0: /budget_override +20.
error-budget-override-unlimited = { $of ->
    [group] Група { $company }
    [person] Людина { $company }
    [task] Задача { $company }
   *[company] Компанія { $company }
 } не має ліміту, тож додавати нема до чого.
error-budget-amount-unreadable = «{ $written }» — не сума. Напишіть долари числом: 20, $20 або 20,50.
error-budget-amount-below-zero = «{ $written }» — менше за нуль. Напишіть 0, якщо витрачати не можна нічого, або число, наприклад 20.
error-budget-override-below-zero = «{ $written }» — менше за нуль. Так гроші лише додають: /budget_override +20. Ліміт зменшують командою /budget день 5.
error-budget-unreadable = { $file } не читається: { $said }.
error-budget-not-json = { $file } — не правильний JSON: { $said }.
error-budget-unknown-key = { $file }: поля «{ $key }» немає. Є такі поля: { $known }.
error-budget-bad-amount = { $file }: { $key } — це { $written }. Напишіть долари звичайним числом, від 0, без лапок: 50 або 0.5. Якщо ліміту немає, напишіть null.
error-budget-bad-share = { $file }: { $key } — це { $written }. Напишіть число від 0 до 1, наприклад 0.8 — це 80 відсотків; critical_threshold не менший за alert_threshold.
error-budget-bad-value = { $file }: { $key } — це { $written }: { $said }.

audit-budget-set = змінює ліміт компанії { $company } на { $period ->
    [day] день
   *[month] місяць
 }: { $amount ->
    [none] без ліміту
   *[other] { $amount }
 }
audit-budget-overridden = додає { $amount } до бюджету { $of ->
    [group] групи { $name } компанії { $company }
    [person] людини { $name } в компанії { $company }
    [task] задачі { $name } компанії { $company }
   *[company] компанії { $company }
 }

doctor-budget = Бюджет компанії { $company } читається
doctor-budget-broken = Бюджет не читається. { $reason }

why-model-chosen = Модель { $model }: { $reason }. { $thinking ->
    [off] Відповідає без роздумів.
    [low] Спершу трохи думає.
    [high] Спершу багато думає.
   *[usual] Роздуми — як зазвичай у цієї моделі.
 }
reason-model-task = її названо в задачі
reason-model-step = її названо в кроці конвеєра
reason-model-group = її названо в групі
reason-model-skill = її названо в навичці
reason-model-default = ніде не названо іншої
reason-model-complexity-simple = обрано автоматично, повідомлення виглядає простим
reason-model-complexity-standard = обрано автоматично, повідомлення виглядає звичайною роботою
reason-model-complexity-complex = обрано автоматично, повідомлення виглядає складним
why-stepped-down = { $model } відповіла замість { $instead_of }: використано { $percent } % { $period ->
    [day] денного
   *[month] місячного
 } бюджету

console-budgets = Бюджети
console-budget-of = Бюджет компанії { $company }
console-budget-day = Сьогодні
console-budget-month = Цього місяця
console-budget-used = { $spent } із { $limit } ({ $percent } %)
console-budget-unlimited = { $spent }, без ліміту
console-budget-waiting = { $count ->
    [one] На гроші чекає { $count } робота.
    [few] На гроші чекають { $count } роботи.
   *[many] На гроші чекають { $count } робіт.
 }
console-budget-change = Змінити
console-budget-period = Ліміт на
console-budget-amount = Долари
console-budget-amount-hint = Наприклад 5 або 20,50; off — без ліміту.
console-budget-save = Задати ліміт
console-budget-more = Додати на сьогодні й на цей місяць, у доларах
console-budget-more-hint = Те, що чекає на гроші, одразу піде далі.
console-budget-add = Додати
console-budget-limit-day = день
console-budget-limit-month = місяць
