# What a run of a pipeline made

outputs-ready = **{ $title }** is done: { $subject }. { $free ->
        [yes] It cost nothing.
       *[no] It cost { $cost }.
    }
outputs-documents = { $count ->
        [one] The text is attached:
       *[other] { $count } texts are attached:
    }
outputs-for = { $file }: for { $target }
outputs-source = { $file }: what they were made from
outputs-activity = { $count ->
        [one] done, one text in pipelines/{ $run }/
       *[other] done, { $count } texts in pipelines/{ $run }/
    }
