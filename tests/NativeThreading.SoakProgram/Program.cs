using System.Globalization;
using NativeThreading.SoakProgram;
using NativeThreading.SoakProgram.Watch;

if (args is [Stopper.Command, var process, var seed, var slow])
{
    return StopperProcess.Run(
        int.Parse(process, CultureInfo.InvariantCulture), ulong.Parse(seed, CultureInfo.InvariantCulture), double.Parse(slow, CultureInfo.InvariantCulture));
}

return SoakCommand.Create().Parse(args).Invoke();
