using System.Runtime.InteropServices;
using NativeThreading.Platform;
using NativeThreading.Processes.Tests.Native;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>
/// Faults of the operating system, in a child process of their own: native/tests/fault_doors.c is loaded before all other
/// libraries, and lets the calls of libnativethreading fail, which is the shipped one. The kinds are those of faults.h.
/// </summary>
internal sealed class SystemFaults
{
    public const int NoMemory = 0;
    public const int NoDescriptor = 2;
    public const int NoWatch = 3;
    public const int ParkForNothing = 4;
    public const int WakeSwallowed = 5;
    public const int Interrupted = 6;
    public const int NoProc = 7;

    private static readonly string s_path = Path.Combine(NativeTestPrograms.BuildDirectory, "tests", "libpreloaded_faults.so");
    private readonly unsafe delegate* unmanaged<int, long, long, void> _set;
    private readonly unsafe delegate* unmanaged<int, long> _made;
    private readonly unsafe delegate* unmanaged<int, long> _calls;
    private readonly unsafe delegate* unmanaged<int, void> _setStorm;
    private readonly unsafe delegate* unmanaged<long> _signals;

    /// <summary>In the child.</summary>
    public unsafe SystemFaults()
    {
        nint library = NativeLibrary.Load(s_path); // once more: it is there already
        Assert.Null(NativeCore.Unusable());
        var find = (delegate* unmanaged<int>)NativeLibrary.GetExport(library, "find_library");
        Assert.Equal(1, find());
        _set = (delegate* unmanaged<int, long, long, void>)NativeLibrary.GetExport(library, "set_fault");
        _made = (delegate* unmanaged<int, long>)NativeLibrary.GetExport(library, "faults_made");
        _calls = (delegate* unmanaged<int, long>)NativeLibrary.GetExport(library, "fault_calls");
        _setStorm = (delegate* unmanaged<int, void>)NativeLibrary.GetExport(library, "set_signal_storm");
        _signals = (delegate* unmanaged<long>)NativeLibrary.GetExport(library, "signals_taken");
    }

    /// <summary>Signals that threads of this process have taken in storms.</summary>
    public unsafe long Signals => _signals();

    /// <summary>Runs <paramref name="main"/> in a child that can do the above; it returns 0.</summary>
    public static async Task AssertSucceedsAsync(NativeTestPrograms programs, Func<int> main)
    {
        await programs.Built;
        ChildProcess.Result child = await ChildProcess.RunAsync(main, ("LD_PRELOAD", s_path));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    /// <summary>From now on the <paramref name="first"/>-th call fails, and then every <paramref name="period"/>-th; 0 for none.</summary>
    public unsafe void Set(int fault, long first, long period = 0) => _set(fault, first, period);

    /// <summary>Ends it.</summary>
    public unsafe void End(int fault) => _set(fault, 0, 0);

    /// <summary>Calls that failed since the last <see cref="Set"/>.</summary>
    public unsafe long Made(int fault) => _made(fault);

    /// <summary>Calls since then.</summary>
    public unsafe long Calls(int fault) => _calls(fault);

    /// <summary>Each thread of the process takes signals without SA_RESTART, thousands a second, or no more.</summary>
    public unsafe void Storm(bool rages) => _setStorm(rages ? 1 : 0);
}
