resume-about = Кладе розмову з перенесення { $transfer } туди, де її шукає Claude Code, і продовжує її.
resume-no-folder = Теки { $folder } немає. Вкажіть теку проєкту: sh resume.sh ТЕКА
resume-odd-folder = У назві теки проєкту є розрив рядка або інший керівний символ. Claude Code не зможе продовжити там розмову; виберіть іншу теку.
resume-long-folder = Шлях до теки проєкту довший за 200 символів. Claude Code не зможе продовжити там розмову; виберіть іншу теку.
resume-missing = Немає запису розмови { $file }. Розпакуйте весь пакунок і запустіть скрипт звідти.
resume-unchecked = Тут немає програми, якою можна перевірити запис розмови (sha256sum, shasum чи openssl), тому його не перевірено.
resume-altered = Запис розмови { $file } не такий, яким його зібрали: його змінено або пошкоджено. Нічого нікуди не скопійовано. Розпакуйте пакунок ще раз.
resume-no-home = Змінну HOME не задано, тож невідомо, де Claude Code тримає розмови. Задайте HOME або CLAUDE_CONFIG_DIR.
resume-different = За адресою { $file } вже є щось інше. Його залишено як є, і нічого не запущено.
resume-linked = { $file } — це посилання або не тека. Скопійоване опинилося б деінде, тому нічого не скопійовано.
resume-placed = Розмова тепер тут: { $file }
resume-there = Розмова вже на місці, її залишено як є: { $file }
resume-files-placed = Файли пакунка тут: { $folder }
resume-files-there = Файли пакунка вже на місці, їх залишено як є: { $folder }
resume-start-it = Щоб продовжити: { $line }
resume-note = Ця розмова почалася в NanoClaw OS, і її перенесено сюди (перенесення { $transfer }). Підсумок, рішення і те, як повернути результат, — у файлі .claude/transfers/{ $transfer }/transfer.md; файли лежать поруч, у теці work_artifacts. Шляхи на кшталт /work та інструменти, яких тут немає, належать до місця, де вона почалася.
resume-left-out = { $count ->
    [one] Найдавніше { $count } повідомлення не взято.
    [few] Найдавніші { $count } повідомлення не взято.
   *[many] Найдавніших { $count } повідомлень не взято.
}

transfer-commit = Сесія для продовження: перенесення { $transfer }
transfer-branch-stays = 📦 Гілка перенесення { $short } залишається на місці. { $reason }
error-git-branch-taken = Гілка { $branch } вже є, і в ній щось інше. Її залишено як є.
error-git-branch-unread = Хтось працює в гілці { $branch } або додав туди коміти, яких ще не враховано. Її залишено як є.

error-drive-slow = Сервер диска { $server } не встиг прийняти все за { $seconds } секунд.
error-drive-silent = Сервером диска { $server } не можна скористатися: { $said }
error-drive-refused = Сервер диска { $server } не прийняв { $file }. Він відповів: { $said }
error-drive-no-tool = Сервер диска { $server } не пропонує інструмента, який створює файли. Якщо такий є, вкажіть його в налаштуванні transfer.drive_tool.
error-drive-no-such-tool = У сервера диска { $server } немає інструмента { $tool }. Перевірте налаштування transfer.drive_tool.
error-drive-unfit = Інструменту { $tool } сервера диска { $server } потрібне те, чого тут не знають: { $wants }. Вкажіть інший у налаштуванні transfer.drive_tool або теку в transfer.drive_folder.
