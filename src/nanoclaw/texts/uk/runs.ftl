# Запуски конвеєрів: про що в них питають людей і чому вони скінчилися.

option-edit = ✏️ Змінити
option-again = 🔁 Змінити й спробувати ще раз
option-go-on = ⏩ Продовжити все одно
option-abort = ✖️ Припинити

run-approve = **{ $title }**, крок { $step } з { $count } ({ $role }): продовжувати з цим?
run-review-session = **{ $title }**, крок { $step } з { $count } ({ $role }): розберіться з тим, що зроблено, і схваліть або відхиліть.
run-gate-failed = **{ $title }**: крок { $step } ({ $role }) не вдався за { $count ->
        [one] { $count } спробу
        [few] { $count } спроби
       *[other] { $count } спроб
    }. { $why }

    Що далі? Можна також написати, що має бути інакше.
run-what-to-change = **{ $title }**, крок { $step }: що має бути інакше? Напишіть своїми словами.
run-ended-failed = ❌ **{ $title }** (`{ $id }`): не вдалося. { $why } Зроблене до того збережено; `/pipeline-retry { $id }` запустить звідти ще раз.
run-held = ⏳ **{ $title }** чекає на кроці { $step }: { $reason } Далі піде само.

error-run-unknown = Немає запуску «{ $id }». Запуски показує /pipelines у чаті або nanoclaw pipelines list.
error-run-over = Цей запуск уже завершено: { $status ->
        [done] усе зроблено
        [failed] не вдалося
       *[other] його скасовано
    }.
error-run-not-over = Цей запуск ще триває. Спочатку скасуйте його.
error-run-not-yours = Це можуть лише той, хто розпочав запуск, і ті, хто керує його групою.
error-run-not-member = Запускати конвеєр у групі «{ $group }» можуть лише її учасники.
error-run-no-subject = Скажіть, про що це, наприклад: /write-article ШІ в маркетингу
error-run-long-subject = Тема довша за { $most } символів. Скажіть коротше.
error-run-many-asked = На вашу згоду вже чекають { $most } запусків. Спершу почніть або скасуйте деякі з них: їх показує /pipelines.
error-run-no-step = Немає кроку { $step }: у конвеєрі їх { $count }.
error-run-step-not-done = Крок { $step } не завершено, тому нічого після нього запустити не можна. Запустіть ще раз звідти.
error-run-cancelled = Скасовано, рішення: { $name }.
error-run-called-off = Скасовано.
error-run-not-as-shown = Це вже не те, що було показано, коли погодилися. Запустіть ще раз: картка покаже все знову.
error-run-not-started = Ніхто вчасно не погодився.
error-run-stopped = Людина зупинила агента.
error-run-unanswered = Ніхто вчасно не відповів на запитання кроку { $step }.
error-run-lost-rights = { $name } більше не учасник групи, а запуск належить саме цій людині.
error-run-skill-gone = Навички «{ $skill }» для кроку { $step } вже немає.
error-run-step-over = Крок скасовано.
error-step-timeout = Крок { $step } ({ $role }) тривав довше за { $minutes } хв.
error-step-gates = Чого бракує: { $gates }.
error-step-wrong-result = Результат не вдалося прийняти: { $said }
error-step-no-result = Агент не здав результату.

audit-pipeline-cancelled = скасовує запуск конвеєра { $subject }: { $template }
