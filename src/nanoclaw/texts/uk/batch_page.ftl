# Сторінка «Пакети».

console-batches = Пакети
console-batches-about = Багато текстів за раз, за пів ціни: написані протягом доби, перевірені, далі їх переглядають, надсилають по одному на день або зберігають у файли.
console-batches-none = Пакетів ще немає.
console-batch-new = Новий пакет
console-batch-written = Написано: { $done } з { $count }
console-batch-passed = Пройшли перевірку: { $count }
console-batch-failed-count = Не вдалося: { $count }
console-batch-verdicts = Схвалено: { $approved }, відхилено: { $rejected }
console-batch-asked = чекає на вашу згоду
console-batch-preparing = готується
console-batch-waiting = чекає
console-batch-unpaid = чекає на гроші
console-batch-texts-wait = { $count ->
        [one] { $count } текст чекає
        [few] { $count } тексти чекають
       *[many] { $count } текстів чекають
    }
console-batch-running = триває
console-batch-checking = перевіряється
console-batch-ready = готовий
console-batch-done = завершений
console-batch-failed = не вдався
console-batch-cancelled = скасований
console-text-waiting = чекає
console-text-sent = пишеться
console-text-succeeded = написаний
console-text-errored = не вдався
console-text-expired = прострочений
console-text-canceled = скасований
console-text-approved = схвалений
console-text-rejected = відхилений
console-part-new = готується
console-part-ready = ось-ось буде надіслана
console-part-sending = надсилається
console-part-unclear = можливо, надіслана: вирішує людина
console-part-sent = у постачальника
console-part-ended = завершена
console-part-cancelled = скасована
console-batch-check = Перевірка
console-batch-decided = Перегляд
console-batch-cost = Вартість
console-batch-one-by-one = Поодинці
console-batch-how = Чим написано
console-batch-by = Розпочато
console-batch-scheduled = Заплановано
console-batch-saved = Файли
console-batch-saving = записуються
console-batch-parts = { $count ->
        [one] { $count } частина в постачальника
        [few] { $count } частини в постачальника
       *[many] { $count } частин у постачальника
    }
console-batch-part = Частина { $number }: тексти з { $first } по { $last }
console-batch-expires = до
console-batch-cancel = Скасувати
console-batch-cancel-title = Скасувати цей пакет?
console-batch-cancel-sentence = Написане залишається й оплачується. Решту буде відкликано.
console-batch-cancel-not = Нехай триває
console-batch-review = Переглянути
console-batch-schedule = По одному на день
console-batch-unschedule = Відкликати розклад
console-batch-unschedule-title = Відкликати розклад?
console-batch-unschedule-sentence = Тексти, які ще не надіслано, втратять свої дні. Вони залишаться в пакеті, і їх можна запланувати знову.
console-batch-told-unscheduled = Розклад відкликано.
console-batch-save = Зберегти у файли
console-batch-approve-passed = Схвалити все, що пройшло перевірку
console-batch-again-all = { $count ->
        [one] Надіслати ще раз { $count } невдалий текст
        [few] Надіслати ще раз { $count } невдалі тексти
       *[many] Надіслати ще раз { $count } невдалих текстів
    }
console-batch-again-one = Надіслати ще раз
console-batch-only = Показати
console-batch-only-all = усі тексти
console-batch-only-open = ще не вирішені
console-batch-only-passed = пройшли перевірку
console-batch-only-faulty = з вадами
console-batch-only-approved = схвалені
console-batch-only-rejected = відхилені
console-batch-only-failed = невдалі
console-batch-only-scheduled = заплановані
console-batch-shown = { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[many] { $count } текстів
    }
console-batch-texts = Тексти
console-batch-texts-none = Текстів ще немає: добираються теми.
console-batch-grade-of = Оцінка: { $grade } з 10
console-batch-is-sent = надісланий
console-batch-told-start = Пакет розпочато.
console-batch-told-cancelled = Пакет скасовується.
console-batch-told-again = Надіслано ще раз.
console-batch-told-saving = Файли записуються.
console-batch-told-approved = { $count ->
        [one] Схвалено { $count } текст.
        [few] Схвалено { $count } тексти.
       *[many] Схвалено { $count } текстів.
    }
console-batch-told-scheduled = { $count ->
        [one] Заплановано { $count } текст.
        [few] Заплановано { $count } тексти.
       *[many] Заплановано { $count } текстів.
    }
console-batch-told-scheduled-already = Усі вони вже були заплановані.
console-batch-told-approve = Текст { $number } схвалено.
console-batch-told-reject = Текст { $number } відхилено.
console-batch-told-edit = Текст { $number } змінено і схвалено.
console-batch-told-rewrite = Текст { $number } пишеться ще раз.
console-batch-review-none = Тут текстів не залишилося.
console-batch-to-batch = До пакета
console-batch-text-of = Текст { $number } з { $count }
console-batch-words = Текст, яким він має бути
console-batch-save-text = Зберегти і схвалити
console-batch-note = Що має бути інакше? Можна залишити порожнім.
console-batch-approve = Схвалити
console-batch-edit = Змінити
console-batch-rewrite = Написати ще раз
console-batch-reject = Відхилити
console-batch-next = Далі
console-batch-try-again = Спробувати ще раз
console-batch-schedule-approved = { $count ->
        [one] Піде { $count } схвалений текст.
        [few] Підуть { $count } схвалені тексти.
       *[many] Підуть { $count } схвалених текстів.
    }
console-batch-schedule-passed = Ще нічого не схвалено, тому піде те, що пройшло перевірку: { $count ->
        [one] { $count } текст.
        [few] { $count } тексти.
       *[many] { $count } текстів.
    }
console-batch-first-day = Перший день
console-batch-hours = Години кожного дня
console-batch-hours-hint = Наприклад 10:00, або 10:00, 18:00 для двох на день. Годинник: { $zone }
console-batch-chat = Чат
console-batch-chat-hint = Його назва; порожньо: чат пакета.
console-batch-weekdays = Не в суботу й неділю
console-batch-schedule-about = Кожен текст стає задачею без агента: більше він нічого не коштує, і його можна змінити, доки його не надіслано.
console-batch-schedule-now = Запланувати
console-batch-subject = Що написати?
console-batch-subject-example = дописи для Telegram
console-batch-count = Скільки
console-batch-count-wrong = Скільки текстів? Напишіть число, щонайменше 1.
console-batch-model = Модель
console-batch-model-usual = звичайна
console-batch-topics = Теми
console-batch-topics-hint = По одній у рядку. Порожньо: хост добере теми сам.
console-batch-topics-file = Або файл тем (.txt, .csv, .md)
console-batch-further = Ще
console-batch-skill = Навичка
console-batch-skill-usual = та, що пасує
console-batch-channel = Канал
console-batch-grade = Найнижча оцінка
console-batch-grade-none = без оцінювання
console-batch-start = Розпочати пакет
console-batch-estimate = { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[many] { $count } текстів
    }: приблизно { $cost } замість { $alone } поодинці
console-batch-estimate-free = { $count ->
        [one] { $count } текст
        [few] { $count } тексти
       *[many] { $count } текстів
    }: безкоштовно, грає демонстраційний агент
console-batch-estimate-budget = У бюджеті залишилося { $left }: вистачить на { $fits } з { $count } текстів.
console-batch-estimate-first = Скажіть, що і скільки; тоді тут стоятиме ціна.
