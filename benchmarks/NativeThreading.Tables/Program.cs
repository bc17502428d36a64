using NativeThreading.Tables.Allocation;
using NativeThreading.Tables.Echo;
using NativeThreading.Tables.EventLoops;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Quiet;
using NativeThreading.Tables.Quwi;
using NativeThreading.Tables.RoundTrip;
using NativeThreading.Tables.SerialWakeup;
using NativeThreading.Tables.Skynet;
using NativeThreading.Tables.Tasks;
using NativeThreading.Tables.Xtask;

Table[] tables =
[
    new QuwiTable(),
    new RoundTripTable(),
    new QuietTable(),
    new AllocationTable(),
    new EventLoopTable(),
    new XtaskTable(),
    new SkynetTable(),
    new SerialWakeupTable(),
    new TasksTable(),
    new EchoTable(),
];
return TableCommand.Root(tables).Parse(args).Invoke();
