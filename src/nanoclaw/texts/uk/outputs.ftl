# Що зробив конвеєр

outputs-ready = **{ $title }** виконано: { $subject }. { $free ->
        [yes] Це не коштувало нічого.
       *[no] Це коштувало { $cost }.
    }
outputs-documents = { $count ->
        [one] Додаємо { $count } текст:
        [few] Додаємо { $count } тексти:
       *[many] Додаємо { $count } текстів:
    }
outputs-for = { $file }: для { $target }
outputs-source = { $file }: текст, з якого їх зроблено
outputs-activity = { $count ->
        [one] готово, { $count } текст у pipelines/{ $run }/
        [few] готово, { $count } тексти у pipelines/{ $run }/
       *[many] готово, { $count } текстів у pipelines/{ $run }/
    }
