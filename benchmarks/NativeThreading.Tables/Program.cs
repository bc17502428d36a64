using NativeThreading.Tables.Allocation;
using NativeThreading.Tables.Echo;
using NativeThreading.Tables.EventLoops;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Quiet;
using NativeThreading.Tables.Quwi;
using NativeThreading.Tables.RoundTrip;

Table[] tables =
[
    new QuwiTable(),
    new RoundTripTable(),
    new QuietTable(),
    new AllocationTable(),
    new EventLoopTable(),
    new EchoTable(),
];
return TableCommand.Root(tables).Parse(args).Invoke();
