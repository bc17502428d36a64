using System.Diagnostics;
using System.Globalization;

namespace NativeThreading.Tables.Echo;

/// <summary>How a program is started: on one CPU, if asked for. taskset becomes the program, so its id is the program's.</summary>
internal static class PinnedProgram
{
    public static ProcessStartInfo On(int? cpu, string program, params IEnumerable<string> arguments)
    {
        ProcessStartInfo start = cpu is int number
            ? new("taskset", ["-c", number.ToString(CultureInfo.InvariantCulture), program, .. arguments])
            : new(program, arguments);
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        return start;
    }
}
