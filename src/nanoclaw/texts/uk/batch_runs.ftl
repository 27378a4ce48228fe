# Пакети в роботі: у чому відмовлено, про що питають дорогою, і що сталося з окремими текстами.

error-batch-unknown = Немає пакета «{ $id }».
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

audit-batch-cancelled = скасував пакет { $subject }: { $items ->
    [one] { $items } текст
    [few] { $items } тексти
   *[other] { $items } текстів
}
audit-batch-resubmitted = надіслав повторно { $items ->
    [one] { $items } текст
    [few] { $items } тексти
   *[other] { $items } текстів
} пакета { $subject }
