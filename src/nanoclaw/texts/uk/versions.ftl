error-git-failed = git { $what } не вдалося: { $said }
error-git-stopped = git { $what } зупинено, бо хост зупиняється.
error-git-slow = git { $what } не відповів за { $seconds } с.
error-git-missing = git не встановлено.
error-git-no-repository = Робочий простір не є репозиторієм git.
error-git-detached = Робочий простір не на гілці (detached HEAD).
error-git-busy = Хтось саме щось робить у репозиторії робочого простору: { $what }.
error-git-unrelated = Гілка у віддаленому репозиторії не має нічого спільного з цим робочим простором. Перевірте, чи це той репозиторій.
error-git-purged = Віддалений репозиторій git «{ $remote }» ще має те, що тут вилучено назавжди, тому з нього нічого не береться. Перезапишіть його командами, які показало вилучення, і нехай усі клонують його наново.
error-git-no-remote = Немає віддаленого репозиторію git «{ $remote }». Додайте: git remote add { $remote } АДРЕСА
error-git-remote = Віддалений репозиторій git «{ $remote }» відповів: { $said }
error-git-overtaken = Інші весь час надсилали свої зміни до «{ $remote }» водночас із нами.
error-git-moved = Гілка тим часом змінилася.
error-git-no-branch = У віддаленому репозиторії git «{ $remote }» немає гілки «{ $branch }», але є інші: { $others }. Перемкніть робочий простір на одну з них або один раз надішліть свою: git push { $remote } { $branch }
error-git-rewritten = Історію гілки «{ $branch }» у віддаленому репозиторії git «{ $remote }» переписано: { $gone ->
    [one] зник { $gone } коміт, який там був
    [few] зникли { $gone } коміти, які там були
   *[other] зникло { $gone } комітів, які там були
}. Доки ви не вирішите, звідти нічого не береться і туди нічого не надсилається. Щоб зберегти все з обох сторін: git -C { $home } pull --no-rebase { $remote } { $branch }. Щоб повернути туди наше: git -C { $home } push --force { $remote } { $branch }
error-git-huge = У віддаленому репозиторії git змінено { $count } файлів одразу, а дозволено { $most }. Об'єднайте самі: git pull

alert-versions-unready = Зміни пам'яті збережено, але не зафіксовано в git. { $reason }
alert-versions-remote = Не вдається обмінюватися робочим простором через git. { $reason } Нічого не втрачено; наступна спроба — щонайпізніше за годину.
alert-versions-left = Злиття з віддаленим репозиторієм не змогло прийняти { $files }: обидві сторони змінили те саме. Наше лишилося; їхнє — у гілці { $branch }.
alert-versions-lost = У віддаленому репозиторії git більше немає { $count ->
    [one] { $count } коміту, який там був
    [few] { $count } комітів, які там були
   *[other] { $count } комітів, які там були
} (його повернуто до { $commit }). Нічого не втрачено: у нас усе є, і воно знову піде туди.
alert-versions-returned = Те, що повернулося у гілці git { $branch }, не взято: { $reason }
alert-versions-refused = У віддаленому репозиторії є файли, які ніколи не приходять у робочий простір ззовні; їх не взято: { $files }

merge-conflict = Тут і у віддаленому репозиторії змінено те саме місце файлу { $file } ({ $company }). Наше лишається, доки ви не оберете. Ось що зміниться, якщо взяти їхнє:
merge-deleted = У віддаленому репозиторії видалено { $file } ({ $company }). Файл лишається, доки ви не оберете.
option-ours = Лишити наше
option-theirs = Взяти їхнє
option-both = Обидва, спершу наше
merge-edited = обидві версії після редагування
merge-held = У віддаленому репозиторії змінено { $count ->
    [one] файл, що може надавати права чи змінювати те, що виконується
   *[other] файли, що можуть надавати права чи змінювати те, що виконується
}: { $files }. Доки ви не оберете, діє те, що є тут. Рядки з - наші, з + їхні.
option-take = Застосувати
option-keep = Лишити наше

doctor-repository = Робочий простір — репозиторій git, гілка { $branch }
doctor-git-no-repository = Робочий простір не є репозиторієм git, тому не має історії; наступний запуск створить його
doctor-git-detached = Робочий простір не на гілці (detached HEAD): зміни збережено, але не зафіксовано. Виконайте: git -C { $home } switch main
doctor-git-unready = Зміни робочого простору збережено, але не зафіксовано. { $reason }
doctor-remote = Робочий простір не поширюється через git: { $reason } ({ $times ->
    [one] { $times } спроба
    [few] { $times } спроби
   *[other] { $times } спроб
})
doctor-synced = Робочим простором діляться через віддалений репозиторій git { $remote }; останній обмін: { $at }
doctor-merge-open = Злиття з віддаленим репозиторієм чекає на вас, дивіться вхідні: { $files }

error-sync-off = Цим робочим простором не діляться через git. Щоб ділитися, задайте push = true у розділі [memory] файлу nanoclaw.toml і перезапустіть. Хост, запущений лише для однієї команди, не ділиться ніколи: постійний запускає nanoclaw up.
error-sync-slow = Віддалений репозиторій git ще не відповів. Робота триває у фоні: nanoclaw sync --status

command-sync = обмінятися з репозиторієм git зараз і сказати, що прийшло
help-sync = Зараз же обмінятися з віддаленим репозиторієм git: отримати, об'єднати, надіслати
help-sync-status = Лише сказати, коли це було востаннє і чому не працює

status-shared = Обмін через git
sync-came = { $count ->
    [one] Прийшов { $count } файл:
    [few] Прийшли { $count } файли:
   *[other] Прийшло { $count } файлів:
}
sync-waits = { $count ->
    [one] { $count } файл чекає на рішення власника, дивіться вхідні:
    [few] { $count } файли чекають на рішення власника, дивіться вхідні:
   *[other] { $count } файлів чекають на рішення власника, дивіться вхідні:
}
sync-refused = { $count ->
    [one] { $count } файл не взято:
    [few] { $count } файли не взято:
   *[other] { $count } файлів не взято:
}
sync-results = { $count ->
    [one] Повернувся { $count } результат перенесення:
    [few] Повернулися { $count } результати перенесень:
   *[other] Повернулося { $count } результатів перенесень:
}
sync-went = { $count ->
    [one] Надіслано { $count } файл:
    [few] Надіслано { $count } файли:
   *[other] Надіслано { $count } файлів:
}
sync-more = {"  "}… і ще { $count }
sync-nothing = З обох боків нічого нового ({ $branch }).
sync-never = З віддаленим репозиторієм git { $remote } обміну ще не було.
sync-last = Останній обмін із віддаленим репозиторієм git { $remote }: { $at }.
sync-changed = Востаннє щось змінилося { $at }:
sync-trouble = Не працює з { $at }: { $reason }
sync-due = Наступна перевірка: { $at }

console-sync = Спільний через git
console-sync-last = Останній обмін:
console-sync-never = Обміну ще не було
console-sync-now = Обмінятися зараз
console-sync-busy = Обмін триває …
console-sync-nothing = З обох боків нічого нового.
console-sync-came = Прийшло
console-sync-waits = Чекає на вас
console-sync-refused = Не взято
console-sync-results = Результати перенесень
console-sync-went = Надіслано
console-sync-decide = Вирішити у вхідних
