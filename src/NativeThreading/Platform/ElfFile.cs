using System.Runtime.InteropServices;
using System.Text;

namespace NativeThreading.Platform;

/// <summary>A library's file on Linux, before the system loads it.</summary>
/// <remarks>
/// <para>The system's loader reports a damaged file, except for one that ends too early, such as a copy that was interrupted: it maps
/// pages that do not exist, and the process dies of SIGBUS (T93).</para>
/// <para>Every process reads the file before its first pool exists. So this calls the C library, which every process has loaded:
/// the first file that .NET opens takes a new process ten times as long. The fields of the file
/// have the byte order of this machine, or the loader rejects it.</para>
/// </remarks>
internal static unsafe class ElfFile
{
    private const int OpenToRead = 0x80000; // O_RDONLY | O_CLOEXEC
    private const int FromEnd = 2; // SEEK_END
    private const int Magic = 0x464C457F;
    private const int HeaderSize = 64;
    private const int SegmentSize = 56;
    private const int Load = 1; // PT_LOAD

    /// <summary>Whether the file is shorter than its headers say. <see langword="false"/> for a file that does not exist, cannot be
    /// read, or is not such a library: the loader reports that.</summary>
    public static bool IsCutOff(string path)
    {
        nint process = NativeLibrary.GetMainProgramHandle();
        if (!Environment.Is64BitProcess
            || !NativeLibrary.TryGetExport(process, "open", out nint open)
            || !NativeLibrary.TryGetExport(process, "pread", out nint pread)
            || !NativeLibrary.TryGetExport(process, "lseek", out nint lseek)
            || !NativeLibrary.TryGetExport(process, "close", out nint close))
        {
            return false;
        }

        int file;
        fixed (byte* name = Encoding.UTF8.GetBytes(path + '\0'))
        {
            file = ((delegate* unmanaged<byte*, int, int>)open)(name, OpenToRead);
        }

        if (file < 0)
        {
            return false;
        }

        long length = ((delegate* unmanaged<int, long, int, long>)lseek)(file, 0, FromEnd);
        bool isCutOff = IsCutOff(file, length, (delegate* unmanaged<int, byte*, nint, long, nint>)pread);
        _ = ((delegate* unmanaged<int, int>)close)(file);
        return isCutOff;
    }

    private static bool IsCutOff(int file, long length, delegate* unmanaged<int, byte*, nint, long, nint> pread)
    {
        byte* header = stackalloc byte[HeaderSize];
        if (pread(file, header, HeaderSize, 0) != HeaderSize || *(int*)header != Magic || header[4] != 2 || header[5] != 1)
        {
            return false;
        }

        long table = *(long*)(header + 32);
        int size = *(ushort*)(header + 54);
        int count = *(ushort*)(header + 56);
        if (!IsInside(table, (long)size * count, length))
        {
            return true;
        }

        byte* segment = stackalloc byte[SegmentSize];
        for (int i = 0; i < count; i++)
        {
            if (pread(file, segment, SegmentSize, table + ((long)i * size)) != SegmentSize)
            {
                return true;
            }

            if (*(int*)segment == Load && !IsInside(*(long*)(segment + 8), *(long*)(segment + 32), length))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsInside(long from, long size, long length) => from >= 0 && size >= 0 && from <= length && size <= length - from;
}
