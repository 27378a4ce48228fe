# Що стається з пам'яттю: пропозиції, суперечності, повідомлення.
memory-proposed-correction = { $name } пропонує виправити те, що пам'ятає компанія.

    Зараз: { $old }

    Пропозиція: { $new }
memory-proposed-forgetting = { $name } пропонує забути: { $old }
memory-conflict = Нове рішення суперечить попередньому. Яке діє?

    Попереднє: { $old }

    Нове: { $new }
memory-conflict-keep = Лишити попереднє
memory-conflict-replace = Замінити
memory-conflict-both = Діють обидва
alert-memory = Пам'ять { $company }: { $masked ->
        [0] {""}
        [one] персональні дані або секрет приховано в { $masked } записі ({ $kinds }).
        [few] персональні дані або секрети приховано в { $masked } записах ({ $kinds }).
       *[other] персональні дані або секрети приховано в { $masked } записах ({ $kinds }).
    } { $quarantined ->
        [0] {""}
        [one] { $quarantined } рядок не вдалося використати, він у карантині: `{ $command } memory quarantine` або сторінка «Пам'ять».
        [few] { $quarantined } рядки не вдалося використати, вони в карантині: `{ $command } memory quarantine` або сторінка «Пам'ять».
       *[other] { $quarantined } рядків не вдалося використати, вони в карантині: `{ $command } memory quarantine` або сторінка «Пам'ять».
    }
alert-memory-secrets = Пам'ять { $company }: у файлі `{ $file }` є { $count ->
        [one] { $count } рядок із секретом
        [few] { $count } рядки із секретами
       *[other] { $count } рядків із секретами
    }, що потрапили туди вручну або через git. Файл лишається, як є; агенти, пошук і пакунки отримують текст без секретів. Приберіть це з файлу й замініть секрет там, де він діє.
alert-memory-maintained = Пам'ять { $company } упорядковано: об'єднано дублікатів — { $doubles }, знято прострочених — { $expired }, перенесено до архіву — { $archived }. Рядків фактів лишилося: { $facts }. Усе це можна знайти й повернути.
error-memory-public = Зробити щось публічним може лише адміністратор: це почують сторонні.
error-memory-live = { $id } не забуто й не замінено: повертати нічого.
error-memory-revert-what = Скажіть, що саме відкликати: хід, людину або від якого часу.
error-memory-not-yours = Для цього треба бути { $needed ->
        [owner] власником
        [admin] адміністратором
       *[other] учасником
    } { $company }.
error-memory-changed = { $who } встигає першим. Тепер там: { $text } ({ $id })
error-no-such-memory = Компанія нічого не пам'ятає під { $id }.
error-memory-empty = Тут нема чого запам'ятовувати.
error-memory-too-long = Тут { $length } символів; одним записом зберігається щонайбільше { $most }. Скоротіть або покладіть у файл контексту.
audit-memory-corrected = виправляє запис пам'яті { $subject }
audit-memory-forgotten = просить забути запис пам'яті { $subject }
audit-memory-restored = повертає запис пам'яті { $subject }
audit-memory-reverted = відкликає з пам'яті те, що надійшло від { $subject }
audit-memory-purged = остаточно видаляє запис пам'яті { $subject }
