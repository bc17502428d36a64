using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

/// <summary>Whether the native library exists and is the one that this assembly was built with, and what its errors mean.</summary>
internal static class NativeCore
{
    public const int EPerm = 1;
    public const int EBadF = 9;
    public const int EAgain = 11;
    public const int EExist = 17;
    public const int EPipe = 32;
    public const int EConnAborted = 103;
    public const int EConnReset = 104;
    public const int EShutdown = 108;
    public const int ETimedOut = 110;

    /// <summary>ENOMEM and -EBUSY on every platform the library supports.</summary>
    public const int NoMemory = 12;
    public const int Busy = -16;

    /// <summary>Turns a negative result of <paramref name="call"/> into an exception that carries errno.</summary>
    public static int Check(int result, string call) => result >= 0 ? result : throw Error(result, call);

    /// <summary>The exception for a negative result.</summary>
    public static Exception Error(int result, string call) =>
        result == -NoMemory ? new InsufficientMemoryException(Message(result, call)) : new InvalidOperationException(Message(result, call));

    /// <summary>What a negative result means, with errno and the call.</summary>
    public static string Message(int result, string call) => OperatingSystem.IsLinux()
        ? $"{call} failed: {Marshal.GetPInvokeErrorMessage(-result)} (errno {-result})."
        : $"{call} failed (errno {-result} of Linux)."; // other systems have other texts for these numbers

    /// <summary>Loads the library: why it cannot be used (T93), or <see langword="null"/>.</summary>
    public static string? Unusable()
    {
        if (NativeLibraryFile.CutOff() is { } message)
        {
            return message;
        }

        try
        {
            int version = NativeMethods.nth_abi_version();
            return version == NativeMethods.AbiVersion ? null : NativeLibraryFile.OtherVersion(version);
        }
        catch (Exception exception) when (exception is DllNotFoundException or BadImageFormatException or EntryPointNotFoundException)
        {
            return NativeLibraryFile.Unusable(exception);
        }
    }
}
