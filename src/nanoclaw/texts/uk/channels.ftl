# Власні канали.

alert-channel = Канал { $name } не працює: { $reason } Усе інше працює.
doctor-channel-ill = Канал { $name } не працює: { $reason }
doctor-channel = Канал { $name } працює
status-channels = Канали
error-channel-two-places = [channels.{ $name }] має і `load`, і `path`; залиште щось одне.
error-channel-unknown = [channels.{ $name }]: встановленого каналу "{ $wanted }" немає. { $count ->
        [0] Не встановлено жодного.
       *[other] Встановлено: { $known }.
    } Вкажіть клас (load = "package.module:Class") або файл (path = "/…").
error-channel-no-module = [channels.{ $name }]: модуля { $module } немає.
error-channel-no-file = [channels.{ $name }]: файлу { $path } немає.
error-channel-no-class = [channels.{ $name }]: у { $place } має бути один клас від Channel із власним `send` (шукали: { $wanted }).
error-channel-inside = [channels.{ $name }]: { $path } лежить там, де можуть писати агенти. Тримайте канал поза робочим простором і поза теками, відкритими агентам.
error-channel-foreign = [channels.{ $name }]: { $path } належить іншому користувачеві. Власником маєте бути ви або root.
error-channel-open = [channels.{ $name }]: інші користувачі цієї машини можуть змінити { $path }. Виконайте: chmod go-w { $path }
error-channel-settings = [channels.{ $name }]: { $key }: { $said }.
error-channel-misnamed = [channels.{ $name }]: канал має взяти ім'я, яке йому дано в налаштуваннях.
error-channel-broken = [channels.{ $name }]: його код завершився помилкою ({ $said }).

adapted-faults = { $count ->
        [one] ⚠️ Цей текст для { $target } порушує { $count } правило свого каналу:
        [few] ⚠️ Цей текст для { $target } порушує { $count } правила свого каналу:
       *[many] ⚠️ Цей текст для { $target } порушує { $count } правил свого каналу:
    }
