# Живі сесії: людина працює з агентом, доки не підсумує

error-no-such-session = Інтерактивної сесії «{ $id }» немає. Відкриті показує `nanoclaw session list`.
error-session-over = Цю сесію завершено: її підсумок уже відомий, і написане тут ніхто не прочитає.
error-session-answering = Агент саме відповідає в чаті цієї сесії. Дочекайтеся відповіді або напишіть там /stop, а тоді відкрийте термінал ще раз.
error-session-in-terminal = Ця сесія зараз відкрита в терміналі. Продовжуйте там або закрийте там Claude Code і спробуйте ще раз.
reason-model-session = її названо в запиті на цю сесію
session-time-up = ⏰ Час цієї сесії вийшов. У вас є { $left }, щоб підсумувати її (`nanoclaw session conclude { $id }`, сторінка або картка); потім вона завершиться без результату.
session-ended = Сесію завершено. { $how }

# Командний рядок

help-session = Сесії, у яких ви працюєте з агентом, а тоді вирішуєте: про що просять і на якому це етапі.
help-session-list = Сесії, що чекають на підсумок.
help-session-all = Також завершені.
help-session-show = Усе про сесію: про що просять, який підсумок потрібен, що змінилося у файлах, що вирішено.
help-session-xml = Так, як її читає агент, що попросив.
help-session-open = Працювати в сесії: у її терміналі, якщо агент — Claude Code, інакше в чаті. Коли вийдете, вас запитають про підсумок.
help-session-chat = У чаті, навіть якщо є термінал.
help-session-watch = Лише дивитися на термінал.
help-session-ask = Чи питати про підсумок, коли ви виходите.
help-session-conclude = Підсумувати сесію рівно одним із цих способів.
help-session-cancel = Відкликати сесію. Нічого не буде вирішено.
help-session-id = Сесія: її ідентифікатор або п'ять останніх літер.
help-session-approve = Схвалити.
help-session-reject = Відхилити.
help-session-notes = Зауваження до --approve або --reject.
help-session-select = Один із варіантів, як його написано.
help-session-text = Текст.
help-session-json = Значення у форматі JSON, як вимагає схема.
help-session-file = Файл із таким JSON.

sessions-none = Жодна сесія на вас не чекає.
sessions-live = Відкрито { $since } тому, триває
sessions-waiting = Її ще ніхто не відкрив
sessions-warned = Час вийшов: підсумуйте зараз
sessions-how = nanoclaw session open { $id }   nanoclaw session conclude { $id }
sessions-completed = Підсумок — { $name }, через { $took }: { $said }
sessions-cancelled = Відкликано: { $name }, через { $took }
sessions-timeout = Ніхто не підсумував вчасно
sessions-failed = Не вдалося, через { $took }
sessions-wants-approval = Потрібно: схвалити або відхилити
sessions-wants-selection = Потрібно: одне з цього
sessions-wants-freeform = Потрібно: що вирішено, вашими словами
sessions-wants-structured = Потрібно: значення за цією схемою JSON
sessions-filled = Поки що сказано, але не вирішено: { $said }
sessions-file-added = Новий файл: { $path }
sessions-file-changed = Змінений файл: { $path }
sessions-file-removed = Вилучений файл: { $path }
sessions-transcript = Про що говорили:

session-form-head = Підсумок. Порожній Enter — залишити сесію відкритою.
session-form-head-filled = Підсумок. Enter бере те, що в дужках; Ctrl-D — залишити сесію відкритою.
session-form-said = Уже сказано, але ще не вирішено: { $said }
session-form-approval = (с)хвалити чи (в)ідхилити
session-form-notes = Зауваження (Enter — без нього)
session-form-selection = Який варіант? Номер або текст
session-form-text = Що вирішено?
session-form-raw = Результат у форматі JSON
session-form-yes-no = т/н
session-form-list = через кому
session-form-unread = «{ $typed }» тут не підходить. Спробуйте ще раз.
session-left-open = Вона лишається відкритою. Підсумувати пізніше: nanoclaw session conclude { $id }
session-chat-hint = Ви в чаті цієї сесії. Сказане тут нічого не вирішує. Ctrl-D — вийти; тоді вас запитають про підсумок.
terminal-hint = Відкривається термінал цієї сесії. Ctrl-] (або ~. на початку рядка) — вийти; Ctrl-C отримує агент.
terminal-lost = Зв'язок утрачено. Пробую ще раз… Ctrl-] — вийти.
terminal-back = Зв'язок відновлено.
terminal-watching = Тут набирає хтось інший. Ви можете дивитися, а коли він вийде — набирати.
error-session-nothing-to-watch = Зараз ніхто не працює в терміналі цієї сесії, тож дивитися нема на що. Відкрийте її без --watch.
error-session-host-away = Хоста немає вже десять хвилин. Сесія лишається відкритою: запустіть хост командою nanoclaw up і відкрийте її знову.
error-conclude-what = Вкажіть підсумок: --approve, --reject, --select X, --text "…", --json '…' або --file F.
error-conclude-one = Підсумок може бути лише один, а тут кілька: { $given }.
error-conclude-notes = --notes можна вказати лише з --approve або --reject.
error-conclude-json = Це не JSON: { $said }
