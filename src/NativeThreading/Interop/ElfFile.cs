using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;

namespace NativeThreading.Interop;

/// <summary>A library's file on Linux, before the system loads it.</summary>
/// <remarks>Of a file that is damaged the system's loader says so, but for one that ends too early, such as a copy that was interrupted: it maps
/// what is not there, and the process dies of SIGBUS (T93).</remarks>
internal static class ElfFile
{
    private const int HeaderSize = 64;
    private const int SegmentSize = 56;
    private const int Load = 1; // PT_LOAD

    /// <summary>Whether the file is shorter than what it says that it holds. <see langword="false"/> for one that does not exist, cannot be
    /// read, or is something else: the loader says that.</summary>
    public static bool IsCutOff(string path)
    {
        if (!File.Exists(path))
        {
            return false;
        }

        try
        {
            using SafeFileHandle file = File.OpenHandle(path);
            Span<byte> header = stackalloc byte[HeaderSize];
            return RandomAccess.Read(file, header, 0) == HeaderSize && header.StartsWith("\u007fELF\u0002\u0001"u8) && IsCutOff(file, header);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static bool IsCutOff(SafeFileHandle file, ReadOnlySpan<byte> header)
    {
        long length = RandomAccess.GetLength(file);
        long table = BinaryPrimitives.ReadInt64LittleEndian(header[32..]);
        int size = BinaryPrimitives.ReadUInt16LittleEndian(header[54..]);
        int count = BinaryPrimitives.ReadUInt16LittleEndian(header[56..]);
        if (!IsInside(table, (long)size * count, length))
        {
            return true;
        }

        Span<byte> segment = stackalloc byte[SegmentSize];
        for (int i = 0; i < count; i++)
        {
            if (RandomAccess.Read(file, segment, table + ((long)i * size)) != SegmentSize)
            {
                return true;
            }

            long offset = BinaryPrimitives.ReadInt64LittleEndian(segment[8..]);
            if (BinaryPrimitives.ReadInt32LittleEndian(segment) == Load && !IsInside(offset, BinaryPrimitives.ReadInt64LittleEndian(segment[32..]), length))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsInside(long from, long size, long length) => from >= 0 && size >= 0 && from <= length && size <= length - from;
}
