# Передачі: сеанс переходить до іншого середовища.
option-send-package = 📦 Надіслати

error-transfer-forbidden = Ви не належите до людей цього агента, тож не можете забрати його роботу деінде.
error-transfer-no-session = Тут ще не було розмови, тож немає що забирати. Спершу поговоріть з агентом.
error-transfer-too-many = У цієї розмови вже { $most } відкриті передачі. Спершу скасуйте одну: /transfers покаже їх.
error-transfer-purpose-long = У поясненні «навіщо» { $count } символів, а можна { $most }. Скажіть коротше.
error-transfer-released = Її вже надіслано.
error-transfer-not-packed = Пакунок ще збирається. Спробуйте за мить.
error-transfer-not-delivered = Передачу { $id } ще не надіслано, тож звідти ще нічого не могло повернутися.
error-transfer-cancel-forbidden = Скасувати її може лише той, хто про неї попросив, або ті, хто керує групою.
error-transfer-over = Передачу { $id } завершено: { $state ->
    [resumed] її результат повернувся
    [expired] її час минув
   *[cancelled] її скасовано
}.
error-no-such-transfer = Передачі { $id } тут немає. /transfers покаже відкриті.

transfer-reason-given-up = її скасовано
transfer-reason-declined = вирішено, що вона залишається тут
transfer-reason-nobody = ніхто вчасно не вирішив, чи можна її надсилати
transfer-reason-cleared = розмову очищено
transfer-reason-group-gone = її агента більше немає
transfer-reason-altered = пакунок змінили після того, як його зібрано
transfer-reason-failed = її не вдалося зібрати
audit-transfer-cancelled = скасовує передачу { $subject } групи { $group } до { $target }
