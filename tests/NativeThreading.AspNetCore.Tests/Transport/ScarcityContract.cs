using System.Globalization;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Descriptors that are used up, in a process of its own.</summary>
public abstract class ScarcityContract(Carrier carrier) : TransportContract(carrier)
{
    [Fact]
    public async Task WithoutDescriptors_OpenConnectionsGoOn_AndThoseThatComeAreServedLater()
    {
        ChildProcess.Result result = await ChildProcess.RunAsync(ScarcityChild.Run, (ScarcityChild.CarrierVariable, Carrier.ToString()));

        Assert.True(result.ExitCode == 0, result.ToString());
        string[] report = result.Output.Split(' ', StringSplitOptions.TrimEntries);
        if (IsOnLoops)
        {
            // Kestrel's own sockets ask again and again, at the cost of a processor, and tell nobody.
            Assert.InRange(double.Parse(report[0], CultureInfo.InvariantCulture), 0, 0.3);
            Assert.Equal("1", report[1]);
        }
    }
}

public sealed class ScarcityOnSockets() : ScarcityContract(Carrier.Sockets);

public sealed class ScarcityOnLoops() : ScarcityContract(Carrier.Loops);

public sealed class ScarcityOnLoopsAndPool() : ScarcityContract(Carrier.LoopsAndPool);
