using System.Diagnostics;

namespace NativeThreading.Tables.Processes;

/// <summary>What another process answers.</summary>
internal static class ProcessOutput
{
    /// <summary>The next line of its output; null: it has ended.</summary>
    /// <exception cref="MeasurementException">None came in time, as <paramref name="late"/> says. It is killed.</exception>
    public static string? ReadLine(this Process process, TimeSpan deadline, string late)
    {
        Task<string?> line = process.StandardOutput.ReadLineAsync();
        if (!line.Wait(deadline))
        {
            process.Kill();
            throw new MeasurementException(late);
        }

        return line.Result;
    }
}
