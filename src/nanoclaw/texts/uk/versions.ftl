error-git-failed = git { $what } не вдалося: { $said }
error-git-stopped = git { $what } зупинено, бо хост зупиняється.
error-git-slow = git { $what } не відповів за { $seconds } с.
error-git-missing = git не встановлено.
error-git-no-repository = Робочий простір не є репозиторієм git.
error-git-detached = Робочий простір не на гілці (detached HEAD).
error-git-busy = Хтось саме щось робить у репозиторії робочого простору: { $what }.
error-git-unrelated = Гілка у віддаленому репозиторії не має нічого спільного з цим робочим простором. Перевірте, чи це той репозиторій.
error-git-no-remote = Немає віддаленого репозиторію git «{ $remote }». Додайте: git remote add { $remote } АДРЕСА
error-git-remote = Віддалений репозиторій git «{ $remote }» відповів: { $said }
error-git-purged = Віддалений репозиторій git «{ $remote }» ще має те, що тут вилучено назавжди. Перезапишіть його: { $command }
error-git-overtaken = Інші весь час надсилали свої зміни до «{ $remote }» водночас із нами.
error-git-moved = Гілка тим часом змінилася.

alert-versions-unready = Зміни пам'яті збережено, але не зафіксовано в git. { $reason }
alert-versions-remote = Не вдається обмінюватися робочим простором через git. { $reason } Нічого не втрачено; наступна спроба — щонайпізніше за годину.
alert-versions-left = Злиття з віддаленим репозиторієм не змогло прийняти { $files }: обидві сторони змінили те саме. Наше лишилося; їхнє — у гілці { $branch }.
alert-versions-refused = У віддаленому репозиторії є файли, які ніколи не приходять у робочий простір ззовні; їх не взято: { $files }

merge-conflict = Тут і у віддаленому репозиторії змінено те саме місце файлу { $file } ({ $company }). Наше лишається, доки ви не оберете. Щоб написати самостійно, відредагуйте файл і залиште наше.
merge-deleted = У віддаленому репозиторії видалено { $file } ({ $company }). Файл лишається, доки ви не оберете.
merge-keep-ours = Лишити наше
merge-take-theirs = Взяти їхнє
merge-take-both = Обидва, спершу наше
merge-held = У віддаленому репозиторії змінено { $count ->
    [one] файл, що може надавати права чи змінювати те, що виконується
   *[other] файли, що можуть надавати права чи змінювати те, що виконується
}: { $files }. Доки ви не оберете, діє те, що є тут.
merge-held-take = Застосувати
merge-held-keep = Лишити наше
merge-ours = наше
merge-theirs = їхнє

doctor-repository = робочий простір — репозиторій git, гілка { $branch }
doctor-git-no-repository = робочий простір не є репозиторієм git, тому не має історії; наступний запуск створить його
doctor-git-detached = робочий простір не на гілці (detached HEAD): зміни збережено, але не зафіксовано. Виконайте: git -C { $home } switch main
doctor-git-unready = зміни робочого простору збережено, але не зафіксовано. { $reason }
doctor-remote = робочий простір не поширюється через git: { $reason } ({ $times ->
    [one] { $times } спроба
    [few] { $times } спроби
   *[other] { $times } спроб
})
doctor-merge-open = злиття з віддаленим репозиторієм чекає на вас, дивіться вхідні: { $files }
