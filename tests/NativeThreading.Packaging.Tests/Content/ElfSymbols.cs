using System.Buffers.Binary;
using System.Text;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>The functions and variables that a library of Linux has for others, and those that it wants of them.</summary>
internal sealed class ElfSymbols
{
    private const int DynamicSymbols = 11; // SHT_DYNSYM
    private const int SectionSize = 64;
    private const int SymbolSize = 24;
    private const int Global = 1; // STB_GLOBAL

    public ElfSymbols(byte[] file)
    {
        int table = Find(file, DynamicSymbols);
        int names = Offset(file, Section(file, BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(table + 40))));
        int first = Offset(file, table), size = (int)BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(table + 32));
        for (int symbol = first; symbol < first + size; symbol += SymbolSize)
        {
            string name = Name(file, names + BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(symbol)));
            bool isDefined = BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(symbol + 6)) != 0;
            if (isDefined)
            {
                Has.Add(name);
            }
            else if (file[symbol + 4] >> 4 == Global) // what is weak may be missing
            {
                Wants.Add(name);
            }
        }
    }

    public HashSet<string> Has { get; } = [];

    public HashSet<string> Wants { get; } = [];

    private static int Find(byte[] file, int type)
    {
        int count = BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(60));
        return Enumerable.Range(0, count).Select(index => Section(file, index)).First(section => BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(section + 4)) == type);
    }

    private static int Section(byte[] file, int index) => (int)BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(40)) + (index * SectionSize);

    private static int Offset(byte[] file, int section) => (int)BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(section + 24));

    private static string Name(byte[] file, int at) => Encoding.ASCII.GetString(file, at, Array.IndexOf(file, (byte)0, at) - at);
}
