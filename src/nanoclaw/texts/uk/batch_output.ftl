# Що стається з текстами пакета: перегляд, дні, файли.

option-rewrite = 🔁 Написати ще раз
batch-review-text = **Текст { $number } з { $count }** · { $topic }
batch-review-grade = 🎯 Оцінка: { $grade } з 10
batch-review-wish = 🔁 Відповідь своїми словами — це побажання: текст буде написано ще раз.
batch-review-words = Текст { $number }: напишіть його так, як має бути. Написане замінить текст і вважатиметься схваленим.
batch-review-none = Жоден текст не чекає на ваше рішення.
batch-review-over = Перегляд: схвалено { $approved }, відхилено { $rejected }{ $again ->
        [0] { "" }
       *[other] , ще раз пишеться { $again }
    }{ $left ->
        [0] .
       *[other] , ще не вирішено { $left }.
    }
batch-scheduled = 🗓 { $count ->
        [one] Заплановано { $count } текст
        [few] Заплановано { $count } тексти
       *[many] Заплановано { $count } текстів
    } (пакет `{ $id }`): перший { $first }, останній { $last }. Більше вони нічого не коштують. Поки текст не надіслано, його можна змінити: номери задач показує `/batch_results { $id }`.
batch-scheduled-already = Тексти пакета `{ $id }` вже заплановано: `/tasks` показує, коли.
batch-saved = 💾 { $count ->
        [one] Збережено { $count } текст
        [few] Збережено { $count } тексти
       *[many] Збережено { $count } текстів
    } пакета `{ $id }`: `{ $folder }`
audit-batch-scheduled = планує тексти пакета { $subject } для { $group }: { $count }
audit-batch-unscheduled = відкликає дні текстів пакета { $subject } для { $group }: { $count }
audit-batch-reviewed = вирішує щодо тексту { $number } пакета { $subject }: { $verdict }
audit-batch-approved = схвалює тексти пакета { $subject } для { $group }: { $count }

error-batch-not-ready = Тексти цього пакета ще не готові. Зачекайте, доки він завершиться, або скасуйте його й візьміть те, що є.
error-batch-nothing-to-schedule = Планувати нічого: жодного тексту не схвалено, і жоден не пройшов перевірку. Спершу перегляньте їх.
error-batch-too-many-waiting = У { $group } стало б понад { $most } текстів, що чекають свого дня. Видаліть частину або заплануйте менше.
error-batch-first-past = { $day } о цій годині вже минуло. Оберіть пізніший день або годину.
error-batch-times = Назвіть на кожен день щонайменше одну годину і щонайбільше { $most }.
error-batch-bad-time = «{ $said }» — це не час доби. Напишіть так: 10:00
error-batch-bad-day = «{ $said }» — це не день. Напишіть так: 2026-11-20
error-batch-nothing-scheduled = Жоден текст цього пакета не чекає свого дня.
error-batch-nothing-to-save = Немає тексту, який можна зберегти.
error-batch-asks-already = Картка пакета { $id } вже відкрита в його чаті. Спершу дайте відповідь на неї.
error-batch-review-none = Жоден текст не чекає на рішення.
error-batch-item-scheduled = Текст { $number } заплановано. Спершу видаліть задачу { $task }, тоді вирішуйте знову.
error-batch-item-sent = Текст { $number } вже надіслано.
error-batch-item-no-text = Тексту { $number }, про який можна вирішити, немає: він { $state ->
        [waiting] чекає, доки його напишуть
        [sent] саме пишеться
        [errored] не вдався
        [expired] прострочений
       *[other] скасований
    }.
error-batch-text-empty = Текст { $number } став би порожнім. Краще відхиліть його.
error-batch-text-changed = Відколи ви дивилися на текст { $number }, його написано заново. Перегляньте його ще раз.
error-batch-text-long = У тексті { $length } символів; може бути щонайбільше { $most }.
