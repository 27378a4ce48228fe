# Пакети в роботі: у чому відмовлено, про що питають дорогою, і що сталося з окремими текстами.

error-batch-unknown = Немає пакета «{ $id }». Пакети показує /batches у чаті або nanoclaw batches list.
error-batch-over = Цей пакет уже завершено або скасовано.
error-batch-not-started = Цей пакет чекає на згоду: його ще не розпочато.
error-batch-not-yours = Це можуть лише той, хто розпочав пакет, і ті, хто керує його групою.
error-batch-not-member = Розпочати пакет у групі «{ $group }» можуть лише її учасники.
error-batch-many-asked = На вашу згоду вже чекають { $most } пакетів. Спершу почніть або скасуйте деякі з них: їх показує /batches.
error-batch-count = У пакеті може бути від 1 до { $most } текстів, а не { $count }.
error-batch-long-topic = Тема { $number } задовга: у темі щонайбільше { $most } символів.
error-batch-no-item = У цьому пакеті немає тексту { $number }.
error-batch-nothing-to-resubmit = Жоден текст цього пакета не зазнав помилки й не прострочився.
error-batch-item-not-failed = Із текстом { $number } усе гаразд, або його вже заплановано. Повторно надсилають лише те, що не вдалося або прострочилося.

audit-batch-cancelled = скасовує пакет { $subject }: { $items ->
    [one] { $items } текст
    [few] { $items } тексти
   *[other] { $items } текстів
}
audit-batch-resubmitted = надсилає повторно { $items ->
    [one] { $items } текст
    [few] { $items } тексти
   *[other] { $items } текстів
} пакета { $subject }

error-batch-answer-lost = Відповідь постачальника загубилася: невідомо, чи пакет дійшов.
error-batch-odd-results = У результатах постачальника були дивні рядки: з невідомими текстами — { $unknown }, повторні — { $repeated }, нечитабельні — { $broken }, довші за дозволене — { $over }. Усі тексти, які вдалося прочитати, тут.
error-batch-not-as-shown = Це вже не те, що було показано, коли погодилися. Запустіть ще раз: картка покаже все знову.
error-batch-no-text = Жодного тексту не написано.
error-batch-topics-not-found = Не вдалося знайти жодної теми.

batch-unclear = **{ $subject }**: тексти з { $first } до { $last } надіслано, але відповідь постачальника загубилася, а його список прочитати не вдається. Якщо надіслати ще раз, за них можна заплатити двічі. Чи дійшов пакет, видно в консолі постачальника{ $candidate ->
    [none] .
   *[other] : можливо, це { $candidate }.
}
batch-unclear-there = 📬 Дійшов
batch-unclear-again = 🔁 Надіслати ще раз
batch-unclear-give-up = ✖️ Облишити
batch-item-unclear = невідомо, чи він дійшов
batch-item-missing = у результатах постачальника його немає
batch-item-cut = текст обривається: він довший за дозволене
batch-fault-cut = текст обривається: він довший за дозволене
batch-item-unpaid = на нього не вистачило бюджету
batch-money-asked = **{ $subject }**: у бюджеті лишилося { $left }, а тексти ({ $count }) можуть коштувати до { $most }. Вистачить на { $fits }. Пакет чекатиме, доки вистачить на всі, якщо ви не вирішите інакше.
batch-money-part = ▶️ Лише { $count ->
    [one] { $count } текст
    [few] { $count } тексти
   *[other] { $count } текстів
}
batch-money-wait = ⏸ Чекати
