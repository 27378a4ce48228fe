# Плани: запитання з кнопками, перш ніж агент почне.
command-plan = спершу запитання, потім робота
plan-usage = Як користуватися: /plan <опис завдання>
plan-head = 📋 **Плануємо: { $task }**
plan-progress = Запитання { $number } з { $count } { $bar }
plan-thinking = ⏳ Думаю над запитаннями...
plan-checking = ⏳ Перевіряю, чи потрібно уточнити щось іще...
plan-type = ✍️ Своя відповідь
plan-type-now = ✍️ Напишіть відповідь повідомленням (у групі — відповіддю на цю картку).
plan-button-back = ← Назад
plan-button-cancel = ✖ Скасувати
plan-button-confirm = ✅ Підтвердити й почати
plan-button-edit = ✏️ Змінити відповіді
plan-said = ✅ { $answer }
plan-below = Продовження нижче.
plan-use-buttons = Будь ласка, відповідайте кнопками ☝️
plan-ready = ✅ **План готовий**
plan-task = **Завдання:** { $task }
plan-saved = 📁 Збережено: `{ $path }`
plan-not-saved = ⚠️ Не вдалося зберегти план у файл. Агент усе одно отримає всі відповіді.
plan-edit-head = ✏️ **Яку відповідь змінити?**
plan-edit-press = Оберіть запитання.
plan-starting = 🚀 Починаю...
plan-cancelled = ❌ Планування скасовано.
plan-no-questions = Цього разу без запитань: агент одразу береться до роботи.
plan-waits = ⏳ { $reason } Щойно це зміниться, з’являться запитання.
plan-rests = 💤 Цілий день не було відповіді, тож план на паузі. Щоб продовжити, натисніть кнопку або надішліть /plan.
plan-which =
    Ви вже плануєте: **{ $old }**
    Новий план: **{ $new }**

    Який залишити?
plan-keep-old = ↩️ Попередній
plan-take-new = 🆕 Новий
plan-kept = Продовжуємо попередній план.
plan-replaced = ❌ Його замінено іншим планом.

error-plan-first-question = Це перше запитання: перед ним нічого немає.
error-plan-of-other = Цей план складає { $name }. Щоб почати свій, надішліть /plan із вашим завданням.
error-plan-answered = На це запитання вже відповіли. Нічого не змінено.
error-plan-over = Ця картка вже не діє: план завершено або він продовжується нижче. Нічого не змінено.
error-plan-moved-on = Картка тим часом змінилася. Погляньте ще раз і натисніть.
error-plan-no-agent = У цьому чаті вас ще не чує жоден агент. Спершу напишіть йому щось, а тоді плануйте.
error-plan-task-long = Завдання для плану може мати щонайбільше { $most } символів, а ваше має { $count }. Подробиці краще додати файлом.
error-plan-answer-long = Відповідь може мати щонайбільше { $most } символів, а ваша має { $count }. Скажіть коротше, будь ласка.

# Це отримує агент, ніби так написала людина.
plan-prompt =
    Ми спланували це разом: твої запитання, мої відповіді. Починай і не перепитуй того, на що тут уже є відповідь.

    Завдання: { $task }
plan-prompt-answers = Мої відповіді:
plan-prompt-answer =
    Запитання: { $question }
    Відповідь: { $answer }
plan-prompt-file = План лежить у файлі { $path }.

# Файл плану.
plan-file-title = План: { $task }
plan-file-created = **Створено:** { $time }
plan-file-session = **Сесія:** { $id }
plan-file-task = Завдання
plan-file-requirements = Вимоги (запитання й відповіді)
plan-file-question = Запитання: { $question }
plan-file-answer = Відповідь: { $answer }
plan-file-context = Що треба знати для виконання
plan-file-gathered = Ось що людина відповіла, щоб уточнити завдання:
plan-file-next = Що далі
plan-file-waiting = План чекає на підтвердження людини.
plan-file-started = Агент почав роботу з усіма цими відповідями.

why-plan-asked = Раунд { $round }: { $count ->
    [0] модель більше не має запитань
    [one] модель ставить { $count } запитання
    [few] модель ставить { $count } запитання
   *[other] модель ставить { $count } запитань
} ({ $seconds } с).
why-plan-waited = Не вдалося запитати модель: { $error }
why-plan-answered = Відповідь на запитання { $number }: { $answer }
why-plan-rested = Цілий день ніхто не відповідав: план на паузі.
why-plan-taken-up = До плану повернулися.
why-plan-confirmed = Людина підтвердила план, у якому { $count ->
    [one] { $count } відповідь.
    [few] { $count } відповіді.
   *[other] { $count } відповідей.
}
why-plan-ended = { $how ->
    [plan-cancelled] Людина скасувала план.
    [plan-replaced] Замість цього плану обрали інший.
    [plan-kept] Людина залишила попередній план.
   *[other] План завершено.
}
why-plan-started = { $how ->
    [plan-no-questions] Модель не поставила придатних запитань, тож агент отримав завдання як є.
   *[other] Агент отримав завдання з усіма відповідями.
}
reason-plan-use-buttons = на відкрите запитання плану відповідають лише кнопками
reason-plan-answer-long = відповідь на запитання плану задовга
