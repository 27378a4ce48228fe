error-git-failed = git { $what } не вдалося: { $said }
error-git-stopped = git { $what } зупинено, бо хост зупиняється.
error-git-slow = git { $what } не відповів за { $seconds } с.
error-git-missing = git не встановлено.
error-git-no-repository = Робочий простір не є репозиторієм git.
error-git-detached = Робочий простір не на гілці (detached HEAD).
error-git-busy = Хтось саме щось робить у репозиторії робочого простору: { $what }.
alert-versions-unready = Зміни пам'яті збережено, але не зафіксовано в git. { $reason }
