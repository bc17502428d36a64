using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>
/// What one thread writes with each item, and what others read as often, never lies on the same 128 bytes. Such fields are in
/// structs that are a line long or longer; this measures where they lie in the objects that embed them.
/// </summary>
public sealed class CacheLineTests
{
    /// <summary>An object begins at any word, so that fewer words between two fields bring them to one line in some object.</summary>
    private const int WordsApart = PaddedIndex.Line / Word;

    private const int Word = sizeof(long);

    private delegate ref byte Locate(object target);

    /// <summary>The classes with a padded struct in them.</summary>
    public static TheoryData<string> Owners() =>
        [.. typeof(NativeThreadPool).Assembly.GetTypes()
            .Where(static type => type is { IsClass: true, IsAbstract: false, ContainsGenericParameters: false } && FieldsOf(type).Any(static field => field.Group.Length != 0))
            .Select(static type => type.FullName!)];

    [Theory]
    [MemberData(nameof(Owners))]
    public void PaddedStruct_IsAloneOnItsLines(string owner)
    {
        Type type = typeof(NativeThreadPool).Assembly.GetType(owner, throwOnError: true)!;
        object target = RuntimeHelpers.GetUninitializedObject(type);
        List<(string Name, string Group, int First, int Last)> words = [("the object's type", "", -1, -1)];
        words.AddRange(FieldsOf(type).Select(field => (field.Name, field.Group, field.OffsetIn(target) / Word, (field.OffsetIn(target) + field.Size - 1) / Word)));
        string[] shared =
        [.. from field in words
            where field.Group.Length != 0
            from other in words
            where other.Group != field.Group && Math.Max(other.First - field.Last, field.First - other.Last) < WordsApart
            select $"{field.Name} and {other.Name}"];
        Assert.Empty(shared);
    }

    [Theory]
    [InlineData("Scheduling.Worker", "_pace")]
    [InlineData("Scheduling.Worker", "_completed")]
    [InlineData("Scheduling.Worker", "_group")]
    [InlineData("Scheduling.Worker", "_looks")]
    [InlineData("Scheduling.Worker", "_queues._gate._owner")]
    [InlineData("Scheduling.Worker", "_queues._gate._thief")]
    [InlineData("Scheduling.Worker", "_queues._moved")]
    [InlineData("Scheduling.ItemOrder", "_isHolder")]
    [InlineData("Scheduling.PoolState", "_last")]
    [InlineData("Queues.WorkItemRing", "_head")]
    [InlineData("Queues.WorkItemRing", "_tail")]
    [InlineData("Queues.InjectorShard", "_consumer.Head")]
    [InlineData("Queues.InjectorShard", "_consumer._lock")]
    [InlineData("Queues.InjectorQueue", "_holders")]
    [InlineData("Queues.InjectorSegment", "_tickets")]
    [InlineData("Queues.ItemRange", "_next")]
    [InlineData("Limits.Permits", "_word")]
    [InlineData("WorkGroup", "_count._queuedByFirst")]
    [InlineData("WorkGroup", "_count._ended")]
    public void HotField_IsPadded(string owner, string group) =>
        Assert.Contains(FieldsOf(typeof(NativeThreadPool).Assembly.GetType("NativeThreading." + owner, throwOnError: true)!), field => field.Group == group);

    private static List<Field> FieldsOf(Type type)
    {
        var fields = new List<Field>();
        for (Type? part = type; part is not null; part = part.BaseType)
        {
            Add(part, [], "");
        }

        return fields;

        void Add(Type owner, FieldInfo[] path, string group)
        {
            foreach (FieldInfo field in owner.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                FieldInfo[] longer = [.. path, field];
                bool isOurs = field.FieldType is { IsValueType: true, IsEnum: false } && field.FieldType.Assembly == typeof(NativeThreadPool).Assembly;
                bool isPadded = isOurs && field.FieldType.StructLayoutAttribute!.Size >= PaddedIndex.Line;
                if (isOurs)
                {
                    Add(field.FieldType, longer, isPadded ? Field.NameOf(longer) : group);
                }
                else
                {
                    fields.Add(new Field(longer, group));
                }
            }
        }
    }

    /// <summary>A field of an object, or of a struct inside it; with the padded struct that it belongs to, if any.</summary>
    private sealed record Field(FieldInfo[] Path, string Group)
    {
        public string Name => NameOf(Path);

        public int Size
        {
            get
            {
                var method = new DynamicMethod("Size", typeof(int), [], typeof(CacheLineTests).Module, skipVisibility: true);
                ILGenerator body = method.GetILGenerator();
                body.Emit(OpCodes.Sizeof, Path[^1].FieldType);
                body.Emit(OpCodes.Ret);
                return method.CreateDelegate<Func<int>>()();
            }
        }

        public static string NameOf(FieldInfo[] path) => string.Join('.', path.Select(static field => field.Name));

        public int OffsetIn(object target)
        {
            var method = new DynamicMethod("Locate", typeof(byte).MakeByRefType(), [typeof(object)], typeof(CacheLineTests).Module, skipVisibility: true);
            ILGenerator body = method.GetILGenerator();
            body.Emit(OpCodes.Ldarg_0);
            foreach (FieldInfo field in Path)
            {
                body.Emit(OpCodes.Ldflda, field);
            }

            body.Emit(OpCodes.Ret);
            return (int)Unsafe.ByteOffset(ref Unsafe.As<Plain>(target).First, ref method.CreateDelegate<Locate>()(target));
        }
    }

    /// <summary>Where the fields of any object begin.</summary>
    private sealed class Plain
    {
        public byte First = 1;
    }
}
