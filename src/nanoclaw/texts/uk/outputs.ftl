# Що зробив конвеєр

outputs-ready = **{ $title }** виконано: { $subject }. Вартість: { $cost }.
outputs-documents = { $count ->
        [one] Додаємо { $count } текст:
        [few] Додаємо { $count } тексти:
       *[many] Додаємо { $count } текстів:
    }
outputs-for = { $file }: для { $target }
outputs-activity = { $count ->
        [one] готово, { $count } текст у pipelines/{ $run }/
        [few] готово, { $count } тексти у pipelines/{ $run }/
       *[many] готово, { $count } текстів у pipelines/{ $run }/
    }
