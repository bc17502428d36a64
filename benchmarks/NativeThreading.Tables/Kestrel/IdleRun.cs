using NativeThreading.Tables.Kestrel.Clients;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Kestrel;

namespace NativeThreading.Tables.Kestrel;

/// <summary>What connections cost that ask for nothing.</summary>
internal static class IdleRun
{
    public static IEnumerable<Measured> Of(Scenario scenario, ServerProcess server, TimeSpan window)
    {
        ServerMemory without = ServerMemory.Of(server);
        using var connections = new IdleConnections(new Uri(server.Addresses[0], scenario.Path), scenario.Connections);
        ServerMemory with = ServerMemory.Of(server);
        ServerUsage before = ServerUsage.Of(server);
        Thread.Sleep(window);
        ServerUsage usage = ServerUsage.Of(server).Since(before);
        return
        [
            new(Measure.Memory, (with.Resident - without.Resident) / scenario.Connections),
            new(Measure.Heap, (with.Heap - without.Heap) / scenario.Connections),
            new(Measure.IdleCpu, usage.CpuMicroseconds / 1000 / window.TotalSeconds),
        ];
    }
}
